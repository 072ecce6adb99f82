/** What the columns of a table are: seen, tried, said and forgotten. */
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import type { MappingDraft } from '@/api/schema'

/** What comes of a draft; without one, what is remembered or guessed. */
export function useMappingPreview(id: string, draft: MappingDraft | null) {
  return useQuery({
    queryKey: keys.artifact(id, 'mapping', draft),
    queryFn: () =>
      draft === null
        ? unwrap(
            api.GET('/api/v1/artifacts/{artifact_id}/mapping', {
              params: { path: { artifact_id: id } },
            }),
          )
        : unwrap(
            api.POST('/api/v1/artifacts/{artifact_id}/mapping/preview', {
              params: { path: { artifact_id: id } },
              body: draft,
            }),
          ),
    placeholderData: keepPreviousData,
    retry: false,
  })
}

export function useSaveMapping(incidentId: string, id: string) {
  const refresh = useRefreshAll(incidentId)
  return useMutation({
    mutationFn: (draft: MappingDraft) =>
      unwrap(
        api.PUT('/api/v1/artifacts/{artifact_id}/mapping', {
          params: { path: { artifact_id: id } },
          body: draft,
        }),
      ),
    onSuccess: refresh,
  })
}

export function useForgetMapping(incidentId: string, id: string) {
  const refresh = useRefreshAll(incidentId)
  return useMutation({
    mutationFn: () =>
      unwrap(
        api.DELETE('/api/v1/artifacts/{artifact_id}/mapping', {
          params: { path: { artifact_id: id } },
        }),
      ),
    onSuccess: refresh,
  })
}

/** Other artifacts with the same header are read again too. */
function useRefreshAll(incidentId: string) {
  const client = useQueryClient()
  return () => {
    void client.invalidateQueries({ queryKey: ['artifact'] })
    void client.invalidateQueries({ queryKey: keys.of(incidentId, 'artifacts') })
  }
}
