import { describe, expect, it } from 'vitest'
import { cycleText } from './cycle'

const trx = (number: number, victim = false) => ({
  number,
  trx_id: String(100 + number),
  session_id: 10 + number,
  active_s: 1,
  query: 'UPDATE t SET a=1',
  shape: 'UPDATE t SET a=?',
  holds: [],
  waits_for: null,
  victim,
})
const edge = (waiter: number, holder: number, held: string | null = 'record app.b PRIMARY X') => ({
  waiter,
  holder,
  lock: 'record app.b PRIMARY X locks rec but not gap',
  held,
  inferred: held === null,
})
const two = { transactions: [trx(1), trx(2, true)], edges: [edge(1, 2), edge(2, 1)] }

const ring = (n: number) => ({
  transactions: Array.from({ length: n }, (_, at) => trx(at + 1)),
  edges: Array.from({ length: n }, (_, at) => edge(at + 1, ((at + 1) % n) + 1, null)),
})

describe('the cycle of a deadlock', () => {
  it('says the same in words', () => {
    expect(cycleText(two)).toEqual([
      '(1) transaction 101 of session 11 waits for record app.b PRIMARY X locks rec but not gap, held by (2) transaction 102 of session 12 as record app.b PRIMARY X.',
      '(2) transaction 102 of session 12 waits for record app.b PRIMARY X locks rec but not gap, held by (1) transaction 101 of session 11 as record app.b PRIMARY X.',
      'The server rolled back (2) transaction 102 of session 12.',
    ])
    expect(cycleText(ring(3))[0]).toContain('inferred from the order of the dump')
  })
})
