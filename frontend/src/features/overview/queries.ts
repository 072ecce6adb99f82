/** Findings with what people said of them, and the steps from here. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { useLocation, useNavigate } from 'react-router'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import { refresh } from '@/api/queries'
import type { NewVerdict } from '@/api/schema'
import { sharedSearch } from '@/state/url'

export const findingsQuery = (id: string) =>
  queryOptions({
    queryKey: keys.of(id, 'findings'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/findings', {
          params: { path: { incident_id: id } },
        }),
      ),
  })

/** Accept or dismiss a finding. */
export function useVerdict(incidentId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ findingId, verdict }: { findingId: string; verdict: NewVerdict }) =>
      unwrap(
        api.PUT('/api/v1/incidents/{incident_id}/findings/{finding_id}/verdict', {
          params: { path: { incident_id: incidentId, finding_id: findingId } },
          body: verdict,
        }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: keys.of(incidentId, 'findings') }),
  })
}

/** Makes a hypothesis of a finding, its evidence pinned, and opens it. */
export function useMakeHypothesis(incidentId: string) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const { search } = useLocation()
  return useMutation({
    mutationFn: (findingId: string) =>
      unwrap(
        api.POST('/api/v1/incidents/{incident_id}/findings/{finding_id}/hypothesis', {
          params: { path: { incident_id: incidentId, finding_id: findingId } },
        }),
      ),
    onSuccess: (hypothesis) => {
      void refresh(client, incidentId, 'hypotheses')
      void navigate(
        `/incidents/${incidentId}/hypotheses${sharedSearch(search, { hypothesis: hypothesis.id })}`,
      )
    },
  })
}

/** Runs the analysis again. */
export function useAnalyse(incidentId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () =>
      unwrap(
        api.POST('/api/v1/incidents/{incident_id}/analyse', {
          params: { path: { incident_id: incidentId } },
        }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: keys.of(incidentId, 'overview') }),
  })
}
