import { expect, test } from 'vitest'
import type { Item, Lane } from '../model/laneTypes'
import { TimelineView } from './view'

const item = (source: string | null): Item => ({
  ...{ key: source ?? 'none', start: 0, end: 0, label: '', tone: 'idle', row: 0 },
  source,
})
const events = (...sources: (string | null)[]): Lane => ({
  ...{
    kind: 'events',
    id: 'log',
    title: 'Log',
    sub: '',
    hint: '',
    host: null,
    rows: 1,
    height: 24,
  },
  choice: { size: 'normal', scale: 'linear', pinned: false, folded: false, colour: 0 },
  items: sources.map(item),
})

test('marks are as unsure as the worst clock that stamped one of them', () => {
  const view = new TimelineView(() => Promise.reject(new Error('asks for nothing')))
  const lane = events('a', 'b', null)
  view.setClocks(new Map(), new Map([['a', 0.4]]))
  expect(view.clocks.uncertaintyOfArtifact('a')).toBe(400)
  expect([view.clocks.uncertaintyOf(lane), view.clocks.uncertaintyOf(events('b'))]).toEqual([
    400, 0,
  ])
  view.setClocks(new Map(), new Map([['b', 2]]))
  expect(view.clocks.uncertaintyOf(lane)).toBe(2000)
  view.dispose()
})

test('a pixel of the plot and the time that it shows are each other', () => {
  const view = new TimelineView(() => Promise.reject(new Error('asks for nothing')))
  view.width = 400
  view.range = [1_000_000, 1_060_000]
  expect([0, 100, 200, 400].map((px) => view.time(px))).toEqual([
    1_000_000, 1_015_000, 1_030_000, 1_060_000,
  ])
  for (const px of [0, 7, 399, 400]) expect(view.x(view.time(px))).toBeCloseTo(px)
  view.dispose()
})
