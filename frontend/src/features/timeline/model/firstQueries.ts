/**
 * What the timeline asks first. The router asks it while the screen's code is on its way, so nothing
 * heavy is imported here: it would come with every screen.
 */
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'

export const seriesQuery = (id: string) =>
  queryOptions({
    queryKey: keys.of(id, 'series'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/series', {
          params: { path: { incident_id: id } },
        }),
      ),
    staleTime: 60_000,
  })

export const marksQuery = (id: string) =>
  queryOptions({
    queryKey: keys.of(id, 'marks'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/marks', { params: { path: { incident_id: id } } }),
      ),
    staleTime: 60_000,
  })

export const stripsQuery = (id: string) =>
  queryOptions({
    queryKey: keys.of(id, 'marks', 'strips'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/strips', {
          params: { path: { incident_id: id } },
        }),
      ),
    staleTime: 60_000,
  })

/** Asks while the screen's code and the session are still on their way. */
export function askAhead(client: QueryClient, id: string): void {
  void client.prefetchQuery(seriesQuery(id))
  void client.prefetchQuery(marksQuery(id))
  void client.prefetchQuery(stripsQuery(id))
}
