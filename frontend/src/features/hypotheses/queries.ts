/** Queries and writes of hypotheses, findings, pins and the matrix. */
import type { Given } from '@/ui/controls/happened'
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, ifMatch, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import { useOptimistic } from '@/api/optimistic'
import { refresh } from '@/api/queries'
import type { components } from '@/api/schema'
import type { Matrix, MatrixRow, Mode } from './matrix'

export type Hypothesis = components['schemas']['Hypothesis']
export type Pin = components['schemas']['Pin']
export type HypothesisChange = Partial<components['schemas']['HypothesisChange']>
export type Status = Hypothesis['status']

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

/** Query the matrix as the user may see it, now or at a past time. */
export const matrixQuery = (id: string, mode: Mode, at: string | null) => {
  const scores = mode === 'mine' ? 'mine' : 'consensus'
  return queryOptions({
    queryKey: keys.of(id, 'matrix', scores, at),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/matrix', {
          params: { path: { incident_id: id }, query: { mode: scores, ...(at ? { at } : {}) } },
        }),
      ),
  })
}

export const calibrationQuery = (id: string) =>
  queryOptions({
    queryKey: keys.of(id, 'hypotheses', 'calibration'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/calibration', {
          params: { path: { incident_id: id } },
        }),
      ),
  })

export const pinsQuery = (id: string) =>
  queryOptions({
    queryKey: keys.of(id, 'pins'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/pins', {
          params: { path: { incident_id: id } },
        }),
      ),
  })

/** Return the writes of the matrix. A rating shows at once and is rolled back on refusal. */
export function useMatrixWrites(id: string) {
  const client = useQueryClient()
  const path = { incident_id: id }
  const onSettled = () => client.invalidateQueries({ queryKey: keys.of(id, 'matrix') })
  return {
    rate: useOptimistic<components['schemas']['NewRating'], Matrix>({
      key: keys.of(id, 'matrix'),
      send: (body) =>
        unwrap(
          api.PUT('/api/v1/incidents/{incident_id}/matrix/ratings', { params: { path }, body }),
        ),
      patch: (matrix, body) => (matrix.at === null ? withRating(matrix, body) : undefined),
    }),
    weigh: useMutation({
      mutationFn: (write: {
        row: MatrixRow
        credibility: MatrixRow['credibility']
        relevance: MatrixRow['relevance']
      }) =>
        unwrap(
          api.PUT('/api/v1/incidents/{incident_id}/matrix/weights/{pin_id}', {
            params: {
              path: { ...path, pin_id: write.row.pin_id },
              header: ifMatch(write.row.weight_revision),
            },
            body: { credibility: write.credibility, relevance: write.relevance },
          }),
        ),
      onSettled,
    }),
    open: useMutation({
      mutationFn: (body: components['schemas']['Opening']) =>
        unwrap(
          api.POST('/api/v1/incidents/{incident_id}/matrix/openings', { params: { path }, body }),
        ),
      onSettled,
    }),
  }
}

export function usePinWrites(id: string) {
  const client = useQueryClient()
  const onSettled = () => refresh(client, id, 'pins')
  return {
    record: useMutation({
      mutationFn: (body: components['schemas']['NewPin']) =>
        unwrap(
          api.POST('/api/v1/incidents/{incident_id}/pins', {
            params: { path: { incident_id: id } },
            body,
          }),
        ),
      onSettled,
    }),
    withdraw: useMutation({
      mutationFn: (pin: string) =>
        unwrap(api.DELETE('/api/v1/pins/{pin_id}', { params: { path: { pin_id: pin } } })),
      onSettled,
    }),
    answer: useMutation({
      mutationFn: ({ pin, ...body }: { pin: string; accept: boolean; reason: string }) =>
        unwrap(
          api.POST('/api/v1/pins/{pin_id}/stale', { params: { path: { pin_id: pin } }, body }),
        ),
      onSettled,
    }),
  }
}

/** Return the matrix with the user's rating in its cell; the server updates the scores later. */
function withRating(matrix: Matrix, given: components['schemas']['NewRating']): Matrix {
  return {
    ...matrix,
    rows: matrix.rows.map((row) =>
      row.pin_id !== given.pin_id
        ? row
        : {
            ...row,
            cells: row.cells.map((cell) =>
              cell.hypothesis_id !== given.hypothesis_id
                ? cell
                : {
                    ...cell,
                    mine: given.rating,
                    shown:
                      matrix.mode === 'mine' || cell.votes.length < 2 ? given.rating : cell.shown,
                  },
            ),
          },
    ),
  }
}

/** Return one mutation per write; each refetches the hypotheses and their derived data. */
export function useHypothesisWrites(id: string) {
  const client = useQueryClient()
  const onSuccess = () => refresh(client, id, 'hypotheses')
  return {
    create: useMutation({
      mutationFn: (body: components['schemas']['NewHypothesis']) =>
        unwrap(
          api.POST('/api/v1/incidents/{incident_id}/hypotheses', {
            params: { path: { incident_id: id } },
            body,
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
        happened: Given
      }) =>
        unwrap(
          api.POST('/api/v1/hypotheses/{hypothesis_id}/confidence', {
            params: { path: { hypothesis_id: write.id } },
            body: {
              confidence: write.confidence,
              reason: write.reason,
              pin_id: write.pin_id,
              happened_at: write.happened.at,
              happened_precision: write.happened.precision,
            },
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
    addEvidence: useMutation({
      mutationFn: (write: { id: string; evidence: components['schemas']['NewEvidence'] }) =>
        unwrap(
          api.POST('/api/v1/hypotheses/{hypothesis_id}/evidence', {
            params: { path: { hypothesis_id: write.id } },
            body: write.evidence,
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
    judge: useMutation({
      mutationFn: ({
        finding,
        ...body
      }: { finding: string } & components['schemas']['NewVerdict']) =>
        unwrap(
          api.PUT('/api/v1/incidents/{incident_id}/findings/{finding_id}/verdict', {
            params: { path: { incident_id: id, finding_id: finding } },
            body,
          }),
        ),
      onSuccess,
    }),
  }
}
