import { describe, expect, it } from 'vitest'
import type { Marks, Series } from './documents'
import { type MetricLane, PLAIN } from './laneTypes'
import {
  alignmentShift,
  describeShift,
  type OtherIncident,
  otherLaneId,
  readLaneId,
  withOtherIncidents,
} from './otherIncidents'

const series = (name: string, rank: number | null = null): Series => ({
  ...{ id: `${name}@h`, name, labels: '', host: 'h', kind: 'gauge', unit: null, points: 9 },
  ...{ first: null, last: null, min: 0, max: 1, group: 'm', artifact: null, meaning: null },
  ...{ title: name, detail: '', source: 'm' },
  ...{ default: rank, shift: null },
})
const lane = (item: Series): MetricLane => ({
  ...{ kind: 'metric', id: item.id, series: item, unit: null, title: item.name, sub: '', hint: '' },
  ...{ host: item.host, choice: PLAIN, height: 56 },
})
const other = (...names: Series[]): OtherIncident => ({
  ...{ incident: 'b', title: 'The other', series: names, shift: -5000, byStart: false },
})
const marks = (onset: string | null): Pick<Marks, 'stalls' | 'range'> => ({
  stalls: onset ? ([{ kind: 'stall', onset }] as unknown as Marks['stalls']) : [],
  range: { start: '2026-11-20T22:00:00Z', end: '2026-11-20T23:00:00Z' },
})

describe('lanes of other incidents', () => {
  it('lays onset on onset, and begin on begin where one has none', () => {
    const own = marks('2026-11-20T22:10:00Z')
    expect(alignmentShift(own, marks('2026-11-20T22:09:55Z'))).toEqual({
      shift: 5000,
      byStart: false,
    })
    expect(alignmentShift(own, marks(null))).toEqual({ shift: 600_000, byStart: true })
    expect(alignmentShift(own, { stalls: [], range: null })).toBeNull()
    expect(describeShift({ shift: -5000, byStart: false })).toMatch(
      /^moved by \u22125.s, onset on onset$/,
    )
  })
  it('puts the lane of the same name behind its own, once, and names it apart', () => {
    const lanes = withOtherIncidents(
      [lane(series('a')), lane(series('c'))],
      [other(series('a'))],
      lane,
    )
    expect(lanes.map((lane) => lane.id)).toEqual(['a@h', otherLaneId('b', 'a@h'), 'c@h'])
    expect(lanes[1]?.otherIncident).toEqual({ incident: 'b', title: 'The other', shift: -5000 })
    expect(readLaneId(lanes[1]?.id ?? '')).toEqual({ incident: 'b', series: 'a@h' })
    expect(readLaneId('a@h')).toEqual({ incident: null, series: 'a@h' })
  })
  it('shows the proposed lanes of one that shares no name', () => {
    const lanes = withOtherIncidents(
      [lane(series('a'))],
      [other(series('x'), series('y', 0))],
      lane,
    )
    expect(lanes.map((lane) => lane.title)).toEqual(['a', 'y'])
  })
})
