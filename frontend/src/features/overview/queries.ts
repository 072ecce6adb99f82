/** Queries and writes of findings: verdicts, hypotheses, a new analysis. */
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

/** Return the mutation that accepts or dismisses a finding. */
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

/** Return the mutation that creates a hypothesis from a finding, pins its evidence and opens it. */
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

/** Return the mutation that runs the analysis again. */
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
