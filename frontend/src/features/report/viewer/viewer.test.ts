import { afterEach, expect, test } from 'vitest'
import type { GraphDrawing, Lane, LanesDrawing } from './data'
import { chain, tree } from './graph'
import { showGraph } from './GraphView'
import { clamped, zoomed } from '@/charts/range'
import { bounds, ended, extent, MIN_SPAN_MS, shapeOf, tOf, valueAt, xOf } from './lanes'
import { showLanes } from './LanesView'

const LANE: Lane = {
  title: 'threads',
  unit: 'n',
  points: [
    [0, 1],
    [1000, 5],
    [2000, null],
    [3000, 2],
  ],
}
const DRAWING: LanesDrawing = { type: 'lanes', lanes: [LANE], stalls: [[1000, null]] }
const GRAPH: GraphDrawing = {
  type: 'graph',
  at: '2026-11-20T22:19:52Z',
  headline: 'a blocks all',
  nodes: [
    { id: 'a', label: 'trx <b>1</b>', kind: 'thread', depth: 0, blocks_total: 2, root: true },
    { id: 'b', label: 'latch', kind: 'latch', depth: 1, blocks_total: 1 },
    { id: 'c', label: 'waiter', kind: 'thread', depth: 2, detail: [['query', 'select 1']] },
    { id: 'd', label: 'aside', kind: 'thread', depth: 0 },
  ],
  edges: [
    ['b', 'a', 'held_by'],
    ['c', 'b', 'waits_for'],
    ['a', 'b', 'waits_for'], // a cycle ends
  ],
}

afterEach(() => document.body.replaceChildren())

test('the nearest sample counts, and a gap has no value', () => {
  expect(valueAt(LANE, 0)).toBe(1)
  expect(valueAt(LANE, 400)).toBe(1)
  expect(valueAt(LANE, 600)).toBe(5)
  expect(valueAt(LANE, 1500)).toBeNull()
  expect(valueAt(LANE, 9000)).toBeNull()
  expect(valueAt(LANE, -1)).toBeNull()
  expect(valueAt(LANE, 3000)).toBe(2)
})

test('zoom keeps the instant in its place and stays inside', () => {
  const whole = [0, 3000] as const
  const near = zoomed(whole, 0.5, 1000, whole, MIN_SPAN_MS)
  expect(near[1] - near[0]).toBe(1500)
  expect(xOf(1000, near)).toBeCloseTo(xOf(1000, whole))
  expect(zoomed(near, 100, 1000, whole, MIN_SPAN_MS)).toEqual(whole)
  expect(clamped([near[0] + 1e9, near[1] + 1e9], whole)).toEqual([1500, 3000])
  expect(tOf(xOf(700, near), near)).toBeCloseTo(700)
})

test('a gap lifts the pen, and one point beyond each end is drawn', () => {
  expect(shapeOf(LANE, [0, 3000], 0).path.match(/M/g)).toHaveLength(2)
  expect(bounds(LANE, [0, 3000])).toEqual([0, 5])
  expect(shapeOf(LANE, [400, 600], 0).path).toMatch(/^M.*L[^M]*$/)
  expect(extent({ ...DRAWING, lanes: [] })).toBeNull()
})

test('a burst after the last stall leaves the axis to the fall before it', () => {
  const burst: Lane = { ...LANE, points: [...LANE.points, [4000, 480]] }
  const at = (range: readonly [number, number], over: number | null) =>
    shapeOf(burst, range, 0, over)
  expect(ended([[1000, null]])).toBeNull()
  expect(ended([[0, 500], [1000, 3500]])).toBe(3500) // prettier-ignore
  expect(at([0, 4000], 3500).axis).toEqual([0, 5.5])
  expect(at([0, 4000], 3500).marks).toHaveLength(1)
  expect(at([0, 4000], null)).toMatchObject({ axis: [0, 480], marks: [] })
  expect(at([3600, 4000], 3500).axis).toEqual([0, 480]) // zoomed to the burst itself
  expect(at([0, 4000], 4500).axis).toEqual([0, 480]) // a peak of the stall is no burst
})

test('the chain of a node is what it waits behind and what waits behind it', () => {
  expect([...chain(GRAPH, 'b')].sort()).toEqual(['a', 'b', 'c'])
  expect([...chain(GRAPH, 'd')]).toEqual(['d'])
})

test('the tree has every node once, roots first', () => {
  expect(tree(GRAPH).map(({ node, depth }) => `${depth}${node.id}`)).toEqual([
    '0a',
    '1b',
    '2c',
    '0d',
  ])
})

test('a key moves the crosshair and shows its instant', () => {
  const place = document.createElement('div')
  document.body.append(place)
  showLanes(place, DRAWING, 'UTC')
  const picture = place.querySelector('svg')
  picture?.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight' }))
  expect(place.querySelector('output')?.textContent).toBe('1970-01-01 00:00:01')
  expect(place.querySelectorAll('.pv-cross text')).toHaveLength(1)
})

test('a click shows the fields of a node as text', () => {
  const place = document.createElement('div')
  place.innerHTML =
    '<svg><g data-node="a"></g><g data-node="c"></g><g data-node="d"></g>' +
    '<path data-source="c" data-target="b"></path></svg>'
  document.body.append(place)
  showGraph(place, GRAPH)
  place.querySelector('[data-node=c]')?.dispatchEvent(new MouseEvent('click'))
  expect(place.querySelector('.pv-inspect')?.textContent).toContain('select 1')
  expect(place.querySelector('[data-node=d]')?.classList.contains('pv-dim')).toBe(true)
  place.querySelector('[data-node=a]')?.dispatchEvent(new MouseEvent('click'))
  expect(place.querySelector('.pv-inspect h4')?.textContent).toBe('trx <b>1</b>')
  expect(place.querySelector('.pv-inspect b')).toBeNull()
})
