/** Queries of the palette: the search, named views and short links. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'

export const searchQuery = (id: string, words: string) =>
  queryOptions({
    queryKey: keys.of(id, 'search', words),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/search', {
          params: { path: { incident_id: id }, query: { q: words } },
        }),
      ),
  })

/** The search over all incidents. */
export const searchAllQuery = (words: string) =>
  queryOptions({
    queryKey: ['search', words],
    queryFn: () => unwrap(api.GET('/api/v1/search', { params: { query: { q: words } } })),
    staleTime: 10_000,
  })

export const viewsQuery = (id: string) =>
  queryOptions({
    queryKey: keys.of(id, 'view'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/views', {
          params: { path: { incident_id: id } },
        }),
      ),
  })

export const viewLinkQuery = (viewId: string) =>
  queryOptions({
    queryKey: ['view', viewId],
    queryFn: () =>
      unwrap(api.GET('/api/v1/views/{view_id}', { params: { path: { view_id: viewId } } })),
    retry: false,
  })

/** Return the mutation that creates a short link to a view; a named one appears in the palette. */
export function useMakeViewLink(incidentId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (wanted: { view: string; name?: string }) =>
      unwrap(
        api.POST('/api/v1/incidents/{incident_id}/views', {
          params: { path: { incident_id: incidentId } },
          body: { view: wanted.view, name: wanted.name ?? null },
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.of(incidentId, 'view') }),
  })
}
