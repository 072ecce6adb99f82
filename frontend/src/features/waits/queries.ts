/** What the wait graph asks for: the moments there are, and the graph at one. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import { completeGraph } from './defaults'

export const momentsQuery = (id: string) =>
  queryOptions({
    queryKey: keys.of(id, 'waits', 'moments'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/waits/moments', {
          params: { path: { incident_id: id } },
        }),
      ),
    staleTime: 60_000,
  })

export type Fold = 'auto' | 'all' | 'none'

export const graphQuery = (id: string, at: string, fold: Fold, opened: readonly string[]) =>
  queryOptions({
    queryKey: keys.of(id, 'waits', 'graph', at, fold, opened),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/waits', {
          params: {
            path: { incident_id: id },
            query: { at, fold, ...(opened.length ? { open: [...opened] } : {}) },
          },
        }),
      ),
    select: completeGraph,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  })
