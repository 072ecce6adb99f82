/** Hypotheses and what they are argued from: lists, and every write. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, ifMatch, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import type { components } from '@/api/schema'

export type Hypothesis = components['schemas']['Hypothesis']
export type HypothesisChange = Partial<components['schemas']['HypothesisChange']>
export type Status = Hypothesis['status']

export const hypothesesQuery = (id: string) =>
  queryOptions({
    queryKey: keys.of(id, 'hypotheses'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/hypotheses', {
          params: { path: { incident_id: id } },
        }),
      ),
  })

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

/** One mutation per write; each refreshes the hypotheses and what is derived from them. */
export function useHypothesisWrites(id: string) {
  const client = useQueryClient()
  const onSuccess = () =>
    Promise.all(
      (['hypotheses', 'findings', 'pins', 'overview'] as const).map((domain) =>
        client.invalidateQueries({ queryKey: keys.of(id, domain) }),
      ),
    )
  return {
    create: useMutation({
      mutationFn: (body: { statement: string; falsifier: string; confidence: number | null }) =>
        unwrap(
          api.POST('/api/v1/incidents/{incident_id}/hypotheses', {
            params: { path: { incident_id: id } },
            body: { ...body, mechanisms: [] },
          }),
        ),
      onSuccess,
    }),
    change: useMutation({
      mutationFn: (write: { id: string; revision: number; change: HypothesisChange }) =>
        unwrap(
          api.PATCH('/api/v1/hypotheses/{hypothesis_id}', {
            params: { path: { hypothesis_id: write.id }, header: ifMatch(write.revision) },
            body: write.change as components['schemas']['HypothesisChange'],
          }),
        ),
      onSuccess,
    }),
    confide: useMutation({
      mutationFn: (write: {
        id: string
        confidence: number
        reason: string
        pin_id: string | null
      }) =>
        unwrap(
          api.POST('/api/v1/hypotheses/{hypothesis_id}/confidence', {
            params: { path: { hypothesis_id: write.id } },
            body: { confidence: write.confidence, reason: write.reason, pin_id: write.pin_id },
          }),
        ),
      onSuccess,
    }),
    removeEvidence: useMutation({
      mutationFn: (write: { id: string; evidence: string }) =>
        unwrap(
          api.DELETE('/api/v1/hypotheses/{hypothesis_id}/evidence/{evidence_id}', {
            params: { path: { hypothesis_id: write.id, evidence_id: write.evidence } },
          }),
        ),
      onSuccess,
    }),
    fromFinding: useMutation({
      mutationFn: (finding: string) =>
        unwrap(
          api.POST('/api/v1/incidents/{incident_id}/findings/{finding_id}/hypothesis', {
            params: { path: { incident_id: id, finding_id: finding } },
          }),
        ),
      onSuccess,
    }),
    dismiss: useMutation({
      mutationFn: (finding: string) =>
        unwrap(
          api.PUT('/api/v1/incidents/{incident_id}/findings/{finding_id}/verdict', {
            params: { path: { incident_id: id, finding_id: finding } },
            body: { verdict: 'dismissed', reason: null },
          }),
        ),
      onSuccess,
    }),
  }
}
