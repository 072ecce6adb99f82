/** Lanes of other incidents, moved so that their onsets coincide with this one's. */
import { group } from 'd3-array'
import { parseIso } from '@/charts/time'
import { formatDuration } from '@/format'
import type { Marks, Series } from './documents'
import type { MetricLane } from './laneTypes'

export type OtherIncident = {
  readonly incident: string
  readonly title: string
  readonly series: readonly Series[]
  /** Added to its times, ms. */
  readonly shift: number
  /** True when neither has an onset: the starts of the captures coincide instead. */
  readonly byStart: boolean
}

/** Limits: other incidents at once, and lanes of one that matches no lane of this incident. */
export const MAX_OTHER_INCIDENTS = 3
const MAX_UNMATCHED_LANES = 4
const MARK = '\u0000'

/** Names a series of another incident among all lanes; a series' own id has no NUL. */
export const otherLaneId = (incident: string, series: string) => `${incident}${MARK}${series}`

/** The incident of a lane's id, if it is another's, and the id of its series there. */
export function readLaneId(id: string): { incident: string | null; series: string } {
  const at = id.indexOf(MARK)
  return at < 0
    ? { incident: null, series: id }
    : { incident: id.slice(0, at), series: id.slice(at + 1) }
}

/** Where an incident begins to pile up: the onset of its first stall, else its first instant. */
function anchor(marks: Pick<Marks, 'stalls' | 'range'>): {
  at: number | null
  onset: boolean
} {
  const onsets = marks.stalls.flatMap((stall) =>
    stall.kind === 'stall' ? (parseIso(stall.onset) ?? []) : [],
  )
  return onsets.length > 0
    ? { at: Math.min(...onsets), onset: true }
    : { at: parseIso(marks.range?.start), onset: false }
}

/** How far another incident is moved; null where one of them is not placed in time. */
export function alignmentShift(
  own: Pick<Marks, 'stalls' | 'range'>,
  other: Pick<Marks, 'stalls' | 'range'>,
): { shift: number; byStart: boolean } | null {
  const [here, there] = [anchor(own), anchor(other)]
  if (here.at === null || there.at === null) return null
  return { shift: here.at - there.at, byStart: !here.onset || !there.onset }
}

/** "moved by +3.2 d, onset on onset" */
export function describeShift({
  shift,
  byStart,
}: Pick<OtherIncident, 'shift' | 'byStart'>): string {
  const how = byStart ? 'no onset in one of them, begin on begin' : 'onset on onset'
  if (shift === 0) return how
  return `moved by ${shift < 0 ? '\u2212' : '+'}${formatDuration(Math.abs(shift) / 1000)}, ${how}`
}

/**
 * Each lane, with those of the others that have its name and labels behind it. Of another incident
 * that has none of the names its own proposed lanes follow at the end.
 */
export function withOtherIncidents(
  own: readonly MetricLane[],
  others: readonly OtherIncident[],
  laneOf: (series: Series) => MetricLane,
): MetricLane[] {
  if (others.length === 0) return [...own]
  const known = others.map((other) => group(other.series, nameOf))
  const borrowed = (other: OtherIncident, series: Series) => laneOfOther(other, laneOf(series))
  const used = new Set<string>()
  const lanes = own.flatMap((lane) => {
    const name = nameOf(lane.series)
    if (used.has(name)) return [lane]
    used.add(name)
    return [
      lane,
      ...others.flatMap((other, at) =>
        (known[at]?.get(name) ?? []).map((item) => borrowed(other, item)),
      ),
    ]
  })
  for (const other of others) {
    if (lanes.some((lane) => lane.otherIncident?.incident === other.incident)) continue
    const proposed = other.series
      .filter((item) => item.default !== null)
      .sort((a, b) => (a.default ?? 0) - (b.default ?? 0))
    lanes.push(...proposed.slice(0, MAX_UNMATCHED_LANES).map((item) => borrowed(other, item)))
  }
  return lanes
}

const nameOf = ({ name, labels }: Series) => `${name} ${labels}`

function laneOfOther(other: OtherIncident, lane: MetricLane): MetricLane {
  const { incident, title, shift } = other
  return {
    ...lane,
    id: otherLaneId(incident, lane.id),
    sub: [title, lane.sub, lane.host ?? ''].filter(Boolean).join(' · '),
    hint: [`Of the incident “${title}”, ${describeShift(other)}`, lane.hint]
      .filter(Boolean)
      .join('\n'),
    host: null,
    otherIncident: { incident, title, shift },
  }
}
