/** Queries and writes of table mappings: preview, save and forget. */
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import type { MappingDraft } from '@/api/schema'

/** Query the preview of a draft, or of the remembered or guessed mapping without one. */
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

/** Return a function that refetches every artifact: those with the same header are parsed again too. */
function useRefreshAll(incidentId: string) {
  const client = useQueryClient()
  return () => {
    void client.invalidateQueries({ queryKey: ['artifact'] })
    void client.invalidateQueries({ queryKey: keys.of(incidentId, 'artifacts') })
  }
}
