import { describe, expect, it } from 'vitest'
import { changed, readChoices, writeChoices } from './laneChoices'
import { edges, moved } from './stallEdges'
import type { Marks, Series, Strips } from './documents'
import { recordedRange } from './marks'
import { itemAt, nextItem, packed, stack, visible } from './laneStack'
import { type Item, PLAIN } from './laneTypes'
import { buildLanes } from './lanes'

const series = (name: string, host: string | null = null): Series => ({
  ...{ id: `${name}@${host ?? ''}`, name, labels: '', host, kind: 'gauge', unit: null, points: 9 },
  ...{ first: null, last: null, min: 0, max: 1, group: 'm', artifact: null, meaning: null },
  ...{ title: name, detail: '', source: 'm' },
  ...{ default: 0, shift: null },
})
const marks: Marks = {
  ...{ stalls: [], captures: [], snapshots: [], annotations: [], corrections: [] },
  events: [
    {
      ...{ time: '2026-11-20T22:19:50Z', kind: 'trigger', severity: null, message: 'fired' },
      ...{ host: null, artifact: 'a', line_first: 3 },
    },
  ],
  range: { start: '2026-11-20T22:00:00Z', end: '2026-11-20T23:00:00Z' },
}
const options = (more: Partial<Parameters<typeof buildLanes>[0]> = {}) => {
  const all = [series('b', 'h1'), series('a', 'h2'), series('c', 'h1')]
  return {
    ...{ series: all, shown: all.map((item) => item.id), marks, strips: undefined },
    ...{
      choices: new Map(),
      order: [],
      query: '',
      times: 'happened' as const,
      by: null,
      paths: new Map([['a', 'db/vmstat']]),
      ...more,
    },
  }
}
const titles = (more: Partial<Parameters<typeof buildLanes>[0]> = {}) =>
  buildLanes(options(more)).map((lane) => lane.title)

describe('notes and runs', () => {
  const [happened, recorded] = ['2026-11-20T22:20:00Z', '2026-11-25T09:00:00Z']
  const note = {
    ...{ id: 'n', kind: 'note', start: happened, end: null, precision: 'exact', text: 'slow' },
    ...{ author: 'Ada', created_at: recorded, revision: 1 },
  }
  const run = {
    ...{ id: 'e', number: 1, title: 'Less', start: happened, end: happened },
    ...{ started_at: recorded, finished_at: recorded },
  }
  const noted = { ...marks, annotations: [note] } as unknown as Marks
  const strips = {
    ...{ heat: [], transactions: [], blocking: [], threads: [] },
    experiments: [run],
  } as Strips
  it('have their place when they happened, or when they were recorded', () => {
    const starts = (times: 'happened' | 'recorded') =>
      buildLanes(options({ marks: noted, strips, times })).flatMap((lane) =>
        lane.id === 'notes' || lane.id === 'spans:experiments'
          ? 'items' in lane
            ? lane.items.map((item) => item.start)
            : []
          : [],
      )
    expect(starts('happened')).toEqual([Date.parse(happened), Date.parse(happened)])
    expect(starts('recorded')).toEqual([Date.parse(recorded), Date.parse(recorded)])
  })
  it('are all in the range of what was recorded', () => {
    const [start, end] = recordedRange(noted, strips) ?? [0, 0]
    expect(start).toBeLessThan(Date.parse('2026-11-20T22:00:00Z'))
    expect(end).toBeGreaterThan(Date.parse(recorded))
    expect(recordedRange(marks, undefined)).toBeNull()
  })
})

describe('buildLanes', () => {
  it('puts events before metrics, and metrics in the chosen order', () => {
    expect(titles()).toEqual(['Triggers', 'b', 'a', 'c'])
  })
  it('keeps pinned lanes at the top and a given order', () => {
    expect(titles({ choices: new Map([['c@h1', { ...PLAIN, pinned: true }]]) })[0]).toBe('c')
    expect(titles({ order: ['c@h1', 'a@h2'] })).toEqual(['c', 'a', 'Triggers', 'b'])
  })
  it('groups by host and finds by words', () => {
    expect(titles({ by: 'host' })).toEqual([
      ...['No host is named', 'Triggers', 'h1', 'b', 'c', 'h2', 'a'],
    ])
    expect(titles({ query: 'h2' })).toEqual(['a'])
  })
  it('groups by the file, and finds by it', () => {
    const read = [{ ...series('b'), artifact: 'a' }, series('c')]
    const shown = ['b@', 'c@']
    expect(titles({ series: read, shown, by: 'source' })).toEqual([
      ...['Of several files', 'Triggers', 'c', 'db/vmstat', 'b'],
    ])
    expect(titles({ series: read, shown, query: 'vmstat' })).toEqual(['b'])
  })
  it('keeps of a lane the marks that have the words', () => {
    const more = { ...marks, events: [...marks.events, { ...marks.events[0], message: 'again' }] }
    const [lane, ...rest] = buildLanes(options({ marks: more as Marks, query: 'again' }))
    expect(lane && 'items' in lane && lane.items.map((item) => item.label)).toEqual([
      'trigger: again',
    ])
    expect(rest).toEqual([])
  })
  it('folds and grows lanes', () => {
    const lanes = buildLanes(options({ choices: new Map([['b@h1', { ...PLAIN, size: 'tall' }]]) }))
    expect(lanes.find((lane) => lane.title === 'b')?.height).toBe(120)
  })
})

describe('the stack', () => {
  it('shows only the lanes that touch a stretch of it', () => {
    const many = Array.from({ length: 200 }, (_, i) => series(`s${i}`))
    const { placed, height } = stack(
      buildLanes(options({ series: many, shown: many.map((item) => item.id) })),
    )
    expect(height).toBe(24 + 200 * 56)
    expect(visible(placed, 24 + 56 * 10, 24 + 56 * 12).map(({ lane }) => lane.title)).toEqual([
      's10',
      's11',
    ])
    expect(visible(placed, height, height + 10)).toEqual([])
  })
})

describe('items', () => {
  const item = (start: number, end: number, row = 0): Item => ({
    ...{ key: `${start}`, start, end, label: '', tone: 'idle', row },
  })
  it('packs spans into rows and says where a label must end', () => {
    const rows = packed([item(0, 10), item(5, 8), item(12, 20)], 6, 0)
    expect(rows.map((row) => row.row)).toEqual([0, 1, 0])
    expect(rows[0]?.until).toBe(12)
    expect(packed([item(0, 9), item(1, 9), item(2, 9)], 2, 0).map((item) => item.row)).toEqual([
      0, 1, 1,
    ])
  })
  it('finds the item at the pointer, the shorter of two', () => {
    const items = [item(0, 100), item(40, 50)]
    expect(itemAt(items, 45, null, 5)?.start).toBe(40)
    expect(itemAt(items, 104, null, 5)?.start).toBe(0)
    expect(itemAt(items, 110, null, 5)).toBeNull()
  })
  it('steps to the next and the one before', () => {
    const items = [item(10, 10), item(30, 30), item(20, 20)]
    expect(nextItem(items, 10, true)?.start).toBe(20)
    expect(nextItem(items, 20, false)?.start).toBe(10)
    expect(nextItem(items, 30, true)).toBeNull()
  })
})

describe('choices in the address', () => {
  it('round-trip, and nonsense is left out', () => {
    const set = changed(readChoices(['tlp3:a:b@h', 'nonsense']), 'c', { folded: true })
    expect(writeChoices(set)).toEqual(['tlp3:a:b@h', 'x:c'])
    expect(readChoices(['tlp3:a:b@h']).get('a:b@h')).toEqual({
      ...{ size: 'tall', scale: 'log', pinned: true, folded: false, colour: 3 },
    })
    expect(writeChoices(changed(set, 'c', { folded: false }))).toEqual(['tlp3:a:b@h'])
  })
})

describe('the edges of a stall', () => {
  const stall = {
    onset: '1970-01-01T00:01:00Z',
    end: '1970-01-01T00:02:00Z',
    baseline: { start: '1970-01-01T00:00:30Z', end: '1970-01-01T00:00:59Z' },
  }
  const start = edges(stall, undefined)
  it('are the corrected times where a person set them', () => {
    const corrected = {
      onset: '1970-01-01T00:00:50Z',
      end: null,
      baseline_start: null,
      baseline_end: null,
    }
    const both = edges(stall, {
      ...corrected,
      id: '',
      host: null,
      computed_onset: '',
      by: 'A',
      revision: 1,
      at: '',
    })
    expect(both).toMatchObject({ onset: 50_000, end: 120_000 })
  })
  it('never pass one another', () => {
    expect(moved(start, 'onset', 40_000)).toEqual({
      ...{ baselineStart: 30_000, baselineEnd: 40_000, onset: 40_000, end: 120_000 },
    })
    expect(moved(start, 'onset', 10_000)).toMatchObject({
      baselineStart: 9000,
      baselineEnd: 10_000,
    })
    expect(moved(start, 'onset', 200_000).end).toBe(201_000)
    expect(moved(start, 'baselineStart', 59_500).baselineEnd).toBe(60_000)
    expect(moved({ ...start, end: null }, 'onset', 200_000).end).toBeNull()
  })
})
