import { describe, expect, it } from 'vitest'
import {
  besideId,
  besideLanes,
  besideShift,
  type Other,
  readBesideId,
  shiftWords,
} from './otherIncidents'
import { PLAIN, type MetricLane } from './lanes'
import type { Marks, Series } from './queries'

const series = (name: string, rank: number | null = null): Series => ({
  ...{ id: `${name}@h`, name, labels: '', host: 'h', kind: 'gauge', unit: null, points: 9 },
  ...{ first: null, last: null, min: 0, max: 1, group: 'm', artifact: null, meaning: null },
  ...{ default: rank, shift: null },
})
const lane = (one: Series): MetricLane => ({
  ...{ kind: 'metric', id: one.id, series: one, unit: null, title: one.name, sub: '', hint: '' },
  ...{ host: one.host, choice: PLAIN, height: 56 },
})
const other = (...names: Series[]): Other => ({
  ...{ incident: 'b', title: 'The other', series: names, shift: -5000, byStart: false },
})
const marks = (onset: string | null): Pick<Marks, 'stalls' | 'range'> => ({
  stalls: onset ? ([{ kind: 'stall', onset }] as unknown as Marks['stalls']) : [],
  range: { start: '2026-11-20T22:00:00Z', end: '2026-11-20T23:00:00Z' },
})

describe('beside another incident', () => {
  it('lays onset on onset, and begin on begin where one has none', () => {
    const own = marks('2026-11-20T22:10:00Z')
    expect(besideShift(own, marks('2026-11-20T22:09:55Z'))).toEqual({ shift: 5000, byStart: false })
    expect(besideShift(own, marks(null))).toEqual({ shift: 600_000, byStart: true })
    expect(besideShift(own, { stalls: [], range: null })).toBeNull()
    expect(shiftWords({ shift: -5000, byStart: false })).toMatch(
      /^moved by \u22125.s, onset on onset$/,
    )
  })
  it('puts the lane of the same name behind its own, once, and names it apart', () => {
    const lanes = besideLanes([lane(series('a')), lane(series('c'))], [other(series('a'))], lane)
    expect(lanes.map((one) => one.id)).toEqual(['a@h', besideId('b', 'a@h'), 'c@h'])
    expect(lanes[1]?.beside).toEqual({ incident: 'b', title: 'The other', shift: -5000 })
    expect(readBesideId(lanes[1]?.id ?? '')).toEqual({ incident: 'b', series: 'a@h' })
    expect(readBesideId('a@h')).toEqual({ incident: null, series: 'a@h' })
  })
  it('shows the proposed lanes of one that shares no name', () => {
    const lanes = besideLanes([lane(series('a'))], [other(series('x'), series('y', 0))], lane)
    expect(lanes.map((one) => one.title)).toEqual(['a', 'y'])
  })
})
