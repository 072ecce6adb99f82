import { expect, it } from 'vitest'
import { detailWords, didWhat, targetPath, textName } from './trailWords'

it('says what was done, also for actions that it has no sentence for', () => {
  expect(didWhat({ action: 'hypothesis.created', target: 'h' })).toBe('proposed a hypothesis')
  expect(didWhat({ action: 'text.edited', target: 'report/what_happened' })).toBe(
    'wrote in the report, what happened',
  )
  expect(didWhat({ action: 'experiment.deleted', target: 'e' })).toBe('deleted an experiment')
  expect(didWhat({ action: 'pin.restored', target: 'p' })).toBe('took back a pin from the bin')
  expect(didWhat({ action: 'artifact.type_given', target: 'a' })).toBe('artifact: type given')
  expect(textName('summary')).toBe('the summary')
})

it('leads to what is still there', () => {
  const entry = { incident_id: 'i', action: 'hypothesis.edited', target: 'h' }
  expect(targetPath(entry)).toBe('/incidents/i/hypotheses?hypothesis=h')
  expect(targetPath({ ...entry, action: 'hypothesis.deleted' })).toBeNull()
  expect(targetPath({ ...entry, incident_id: null })).toBeNull()
  expect(targetPath({ ...entry, action: 'text.edited', target: 'report/impact' })).toBe(
    '/incidents/i/report?section=impact',
  )
})

it('keeps details short', () => {
  expect(detailWords({ detail: { title: 'Stall', fields: ['status', 'owner'] } })).toBe(
    'Stall · status, owner',
  )
  expect(detailWords({ detail: { text: 'x'.repeat(500) } })).toHaveLength(141)
})
