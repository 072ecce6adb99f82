import { describe, expect, it } from 'vitest'
import { BLANK_EDGE, completeNode } from './defaults'
import type { WaitGraph, WaitNode } from './waitGraph'
import { nodePin } from './inspector/nodePins'
import { bySource, type Moment, nextMoment, sourceOf } from './moments/sources'
import { deadlocksOf, nodeClaim, describeNode, queuePlaces, roleOf } from './nodeText'

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
    'trx 26478 · session 390, idle in transaction 26 s, blocks 300, ' + 'root blocker, inferred',
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

it('says a statement once, also where only its beginning is known', () => {
  const shape = 'UPDATE t SET n=n+? WHERE id=?'
  const group = { ...holder, detail: 'update t set n=n+1 WHERE', shape } as WaitNode
  expect(describeNode(group)).toMatch(/^trx 26478 · session 390, UPDATE t SET n=n\+\? WHERE id=\?,/)
  expect(describeNode({ ...group, detail: 'redo flush' })).toContain(', redo flush, UPDATE t')
})

it('calls the holder of a lock unknown only where none is in sight', () => {
  const latch = { ...holder, kind: 'latch', depth: 0 } as WaitNode
  expect(roleOf(latch)).toBe('latch, holder unknown')
  expect(roleOf({ ...latch, depth: 1 })).toBe('latch, holders change')
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

describe('the order of a metadata lock', () => {
  const lock = { kind: 'metadata_lock' as const, waiting: false }
  const nodes = [
    completeNode({ id: 'holder', label: 'session 197', root: true, blocks_total: 161 }),
    completeNode({ id: 'asked', label: 'exclusive metadata lock app.accounts', ...lock }),
    completeNode({ id: 'ddl', label: 'session 237', waiting: true, blocks_total: 160 }),
    completeNode({ id: 'lock', label: 'metadata lock app.accounts', ...lock }),
    completeNode({ id: 'many', kind: 'group', of: 'thread', members: 160, waiting: true }),
    completeNode({ id: 'other', label: 'session 9', waiting: true }),
  ]
  const held = { ...BLANK_EDGE, kind: 'held_by' as const }
  const edges = [
    { ...held, source: 'asked', target: 'holder' },
    { ...BLANK_EDGE, source: 'ddl', target: 'asked' },
    { ...held, source: 'lock', target: 'ddl', inferred: true },
    { ...BLANK_EDGE, source: 'many', target: 'lock' },
  ]

  it('is the holder, the request that is next, and the queue behind it', () => {
    const places = queuePlaces({ nodes, edges })
    expect([...places].map(([id, { place }]) => [id, place]).sort()).toEqual([
      ['ddl', 'next'],
      ['holder', 'holds'],
      ['lock', 'queue'],
      ['many', 'behind'],
    ])
    const words = (id: string) =>
      roleOf(nodes.find((node) => node.id === id) ?? completeNode({}), places.get(id))
    expect(words('holder')).toBe('root holder')
    expect(words('ddl')).toBe('next in the queue: blocks who comes later')
    expect(words('many')).toBe('queue behind session 237')
    expect(words('other')).toBe('waiter')
  })

  it('is a root whose holder is unknown, except a flush: no thread holds it', () => {
    const root = (kind: 'latch' | 'fsync') => roleOf(completeNode({ kind, root: true }))
    expect(root('latch')).toBe('latch, holder unknown')
    expect(root('fsync')).toBe('flush to disk')
  })

  it('has no number where nobody queues behind a request, and none for row locks', () => {
    expect(queuePlaces({ nodes, edges: edges.slice(0, 2) }).size).toBe(0)
    const rows = nodes.map((node) =>
      node.kind === 'metadata_lock' ? { ...node, kind: 'row_lock' as const } : node,
    )
    expect(queuePlaces({ nodes: rows, edges }).size).toBe(0)
  })
})

describe('strips', () => {
  const moment = (source: Moment['source'], second: number, waiters: number) =>
    ({ source, waiters, lock_waits: 0, time: `2026-11-20T22:19:${second}Z` }) as Moment
  const lists = [10, 12, 14, 16].map((second) => moment('processlist', second, 160))
  const dumps = [11, 13, 15].map((second) => moment('status dump', second, 0))
  const all = [...lists, ...dumps, moment('stack sample', 12, 161)]

  it('keep the kinds of source apart, the busiest first', () => {
    expect(bySource(all).map(([source]) => source)).toEqual([
      'processlist',
      'stack sample',
      'status dump',
    ])
  })

  it('a playback goes through one kind: the chosen, the shown, else the busiest', () => {
    expect(sourceOf(all, '', '2026-11-20T22:19:12Z')).toBe('processlist')
    expect(sourceOf(all, 'status dump', '2026-11-20T22:19:12Z')).toBe('status dump')
    expect(sourceOf(all, 'lock table', null)).toBe('processlist')
    const both = [...lists, ...[11, 13].map((second) => moment('status dump', second, 90))]
    expect(sourceOf(both, '', '2026-11-20T22:19:13Z')).toBe('status dump')
    expect(sourceOf([], '', null)).toBeNull()
  })
})

it('pins a node of a paste without a time', () => {
  const node = completeNode({ id: 'session:197', depth: 0, label: 'session 197', blocks_total: 5 })
  const graph = {
    nodes: [node],
    edges: [],
    cycles: [],
    headline: '',
    at: null,
  } as unknown as WaitGraph
  expect(nodePin(graph, node, null, undefined).locator).toMatchObject({ at: null, value: '5' })
})
