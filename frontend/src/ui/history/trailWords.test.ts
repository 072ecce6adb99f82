import { expect, it } from 'vitest'
import { detailWords, didWhat, targetPath, textName } from './trailWords'

it('says what was done, also for actions that it has no sentence for', () => {
  expect(didWhat({ action: 'hypothesis.created', target: 'h' })).toBe('proposed a hypothesis')
  expect(didWhat({ action: 'text.edited', target: 'report/what_happened' })).toBe(
    'wrote in the report, what happened',
  )
  expect(didWhat({ action: 'experiment.deleted', target: 'e' })).toBe('deleted an experiment')
  expect(didWhat({ action: 'access.refused', target: 'GET /audit' })).toBe('was refused GET /audit')
  expect(didWhat({ action: 'pin.restored', target: 'p' })).toBe('restored a pin from the bin')
  expect(didWhat({ action: 'artifact.type_given', target: 'a' })).toBe('artifact: type given')
  expect(didWhat({ action: 'token.revoked', target: 't' })).toBe('revoked a token')
  expect(textName('summary')).toBe('the summary')
})

it('leads to what is still there', () => {
  const entry = { incident_id: 'i', action: 'hypothesis.edited', target: 'h', detail: {} }
  expect(targetPath(entry)).toBe('/incidents/i/hypotheses?hypothesis=h')
  expect(targetPath({ ...entry, action: 'hypothesis.deleted' })).toBeNull()
  expect(targetPath({ ...entry, incident_id: null })).toBeNull()
  expect(targetPath({ ...entry, action: 'text.edited', target: 'report/impact' })).toBe(
    '/incidents/i/report?section=impact',
  )
  expect(targetPath({ ...entry, action: 'matrix.rated', target: 'p/h' })).toBe(
    '/incidents/i/hypotheses?tab=matrix&cell=p%2Fh',
  )
  const comment = { ...entry, action: 'comment.created', target: 'c' }
  expect(targetPath({ ...comment, detail: { subject: 'experiment:e' } })).toBe(
    '/incidents/i/experiments?experiment=e',
  )
})

it('keeps details short', () => {
  expect(detailWords({ detail: { title: 'Stall', fields: ['status', 'owner'] } })).toBe(
    'Stall · status, owner',
  )
  const decided = { before: 'active', after: 'refuted', reason: 'the run missed' }
  expect(detailWords({ detail: decided, name: 'H1 A latch' })).toBe(
    'active → refuted · the run missed',
  )
  expect(detailWords({ detail: { title: 'A latch', confidence: 80 }, name: 'H1 A latch' })).toBe(
    '80%',
  )
  const back = { title: 'a wait', settled: ['H1'], needs_review: [] }
  expect(detailWords({ detail: back, name: 'E7 a wait' })).toBe('H1 as before')
  expect(detailWords({ detail: { text: 'x'.repeat(500) } })).toHaveLength(141)
})
