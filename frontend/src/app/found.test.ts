import { expect, test } from 'vitest'
import type { Found } from '@/api/schema'
import { hintOf } from './found'

const session: Found = {
  kind: 'session',
  id: '12 a:1',
  title: 'Session 12 · app@db1',
  hint: 'UPDATE counters SET clicks = clicks + 1 WHERE campaign_id = 390 AND day = 7',
  at: null,
  incident_id: 'i2',
  incident: 'Checkout stalls',
  score: 1,
}

test.each([
  ['session', false, session.hint],
  ['390', false, '…E campaign_id = 390 AND day = 7'],
  ['COUNTERS', false, session.hint],
  ['app', false, session.hint],
  ['archived', false, `in its full text · ${session.hint}`],
  ['archived', true, 'in its full text · Checkout stalls'],
  ['session', true, 'Checkout stalls'],
  ['390', true, '…E campaign_id = 390 AND day = 7 · Checkout stalls'],
  ['session 390', true, '…E campaign_id = 390 AND day = 7 · Checkout stalls'],
])('beside what %s found (elsewhere: %s) stands %s', (words, elsewhere, hint) => {
  expect(hintOf(session, words, elsewhere)).toBe(hint)
})

test('addresses of pins and views are no hints, and an incident names itself', () => {
  expect(hintOf({ ...session, kind: 'pin', hint: '/incidents/i2' }, 'app', false)).toBeUndefined()
  expect(hintOf({ ...session, kind: 'pin', hint: '/incidents/i2' }, 'app', true)).toBe(
    'Checkout stalls',
  )
  expect(hintOf({ ...session, kind: 'incident', hint: 'open' }, 'x', true)).toBe('open')
})
