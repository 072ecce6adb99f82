import { expect, it } from 'vitest'
import type { WaitNode } from './waitGraph'
import { deadlocksOf, nodeClaim, nextMoment, describeNode } from './nodeText'

const holder = {
  label: 'trx 26478 · session 390',
  detail: 'idle in transaction 26 s',
  kind: 'thread',
  members: 1,
  mark: '',
  blocks_total: 300,
  blocks_direct: 300,
  waiting: false,
  waited_s: null,
  root: true,
  inferred: true,
} as WaitNode

it('says of a holder what it does, and that it is inferred', () => {
  expect(nodeClaim(holder)).toBe('trx 26478 · session 390 blocks 300 threads')
  expect(describeNode(holder)).toBe(
    'trx 26478 · session 390, idle in transaction 26 s, blocks 300, 300 directly, ' +
      'root blocker, inferred',
  )
})
it('says "root blocker" once, also with how often it is', () => {
  const stuck = 'root blocker in 4 of 7 status dumps, blocks in 5'
  expect(describeNode(holder, stuck)).toMatch(
    /, root blocker now, inferred, in 4 of 7 status dumps, blocks in 5$/,
  )
  expect(describeNode({ ...holder, root: false }, stuck)).toMatch(/, inferred, root blocker in 4/)
  expect(describeNode(holder, 'blocks in 5 of 7')).toMatch(/, root blocker, inferred, blocks in 5/)
})
it('counts the threads behind a lock, and describes waiters as waiting', () => {
  const lock = { ...holder, kind: 'latch', label: 'mutex TRX_SYS', blocks_total: 1 } as WaitNode
  expect(nodeClaim(lock)).toBe('mutex TRX_SYS has 1 thread behind it')
  const waiters = { ...holder, label: '151 waiters', members: 151, waiting: true, blocks_total: 0 }
  expect(nodeClaim(waiters)).toBe('151 waiters wait')
})

it('lists deadlocks with the threads behind them, the largest first', () => {
  const thread = (id: string, blocks_total: number) =>
    ({ ...holder, id, label: id, blocks_total }) as WaitNode
  const lock = (id: string, blocks_total: number) =>
    ({ ...holder, id, label: id, kind: 'row_lock', blocks_total }) as WaitNode
  const nodes = [thread('a', 4), thread('b', 4), lock('r', 5), lock('s', 5), thread('c', 1)]
  const more = [thread('d', 1), lock('t', 2), lock('u', 2)]
  const circles = deadlocksOf({
    nodes: [...nodes, ...more],
    cycles: [
      ['c', 't', 'd', 'u'],
      ['a', 'r', 'b', 's', 'folded away'],
    ],
  })
  expect(circles).toEqual([
    { first: 'a', threads: 2, behind: 3, names: 'a, b' },
    { first: 'c', threads: 2, behind: 0, names: 'c, d' },
  ])
})

it('goes to the neighbouring moment, also from between two and from outside', () => {
  const times = ['2026-11-20T22:19:52Z', '2026-11-20T22:19:53Z', '2026-11-20T22:19:55Z']
  expect(nextMoment(times, '2026-11-20T22:19:53Z', 1)).toBe(times[2])
  expect(nextMoment(times, '2026-11-20T22:19:53.000Z', -1)).toBe(times[0])
  expect(nextMoment(times, '2026-11-20T22:19:54Z', -1)).toBe(times[1])
  expect(nextMoment(times, '2026-11-20T22:20:54Z', 1)).toBeNull()
  expect(nextMoment(times, null, 1)).toBe(times[0])
})
