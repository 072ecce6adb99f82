/** Where marks go: stall bands, snapshot ticks, events; crowded ticks are merged per pixel column. */
import { max, min } from 'd3-array'
import type { components } from '@/api/schema'
import type { Interval } from '@/charts/range'
import { parseIso, type TimeScale } from '@/charts/time'
import { formatDuration } from '@/format'
import type { Marks, Strips } from './documents'
import { lastSeen } from './stallEdges'

/** A stretch of a host that matters; null: of every host. */
export type Focus = { readonly host: string | null; readonly span: Interval }

type Stall = components['schemas']['StallDoc']
type SnapshotMark = components['schemas']['SnapshotMark']

interface Band {
  x: number
  width: number
  stall: Stall
  /** The capture ends inside the stall: the right edge is open. */
  open: boolean
}

/** Pale bands behind the lanes, clipped to the plot. */
export function layoutStalls(stalls: readonly Stall[], x: TimeScale, width: number): Band[] {
  return stalls.flatMap((stall) => {
    const onset = parseIso(stall.onset)
    if (onset === null || stall.kind !== 'stall') return []
    const left = Math.max(0, x(onset))
    const right = Math.min(width, x(lastSeen(stall)))
    return right > left ? [{ x: left, width: right - left, stall, open: stall.end === null }] : []
  })
}

/** Threads and transactions that wait in a snapshot. */
export function waiting(snapshot: SnapshotMark): number {
  return (snapshot.waiters ?? 0) + (snapshot.lock_waits ?? 0)
}

/** The whole captured time, a little wider so that the ends can be seen. */
export function wholeRange(marks: components['schemas']['Marks'] | undefined): Interval | null {
  const start = parseIso(marks?.range?.start)
  const end = parseIso(marks?.range?.end)
  if (start === null || end === null) return null
  const margin = Math.max(1000, (end - start) * 0.01)
  return [start - margin, end + margin]
}

/** The whole captured time and when people recorded notes and runs; null: they recorded none. */
export function recordedRange(
  marks: Marks | undefined,
  strips: Strips | undefined,
): Interval | null {
  const whole = wholeRange(marks)
  const times = [
    ...(marks?.annotations ?? []).map((note) => parseIso(note.created_at)),
    ...(strips?.experiments ?? []).flatMap((run) => [
      parseIso(run.started_at),
      parseIso(run.finished_at),
    ]),
  ].filter((at) => at !== null)
  if (!whole || times.length === 0) return null
  const [start, end] = [Math.min(whole[0], ...times), Math.max(whole[1], ...times)]
  const margin = (end - start) * 0.01
  return [start - margin, end + margin]
}

/** A range for a first look: the leading stall with half its length around, else everything. */
export function firstLook(marks: components['schemas']['Marks'] | undefined): Interval | null {
  const whole = wholeRange(marks)
  if (!whole || !marks) return whole
  const stalls = marks.stalls.filter((s) => s.kind === 'stall')
  const leading = stalls.find((s) => s.leading)
  const start = min(leading ? [leading] : stalls, (s) => parseIso(s.onset) ?? undefined)
  const end = max(leading ? [leading] : stalls, lastSeen)
  if (start === undefined || end === undefined) return whole
  const margin = Math.max(30_000, (end - start) / 2)
  return [Math.max(whole[0], start - margin), Math.min(whole[1], end + margin)]
}

/** The stalls and their baselines: the stretches that the axes of values show in full. */
export function focusOf(stalls: readonly Stall[]): Focus[] {
  return stalls.flatMap((stall): Focus[] => {
    const onset = parseIso(stall.onset)
    if (stall.kind !== 'stall' || onset === null) return []
    const { host } = stall
    const [from, to] = [parseIso(stall.baseline?.start), parseIso(stall.baseline?.end)]
    const spans: Interval[] = [[onset, lastSeen(stall)]]
    if (from !== null && to !== null) spans.push([from, to])
    return spans.map((span) => ({ host, span }))
  })
}

/** Per host, ms to add so that the onset of its first stall coincides with the earliest of all. */
export function onsetShifts(stalls: readonly Stall[]): Map<string, number> {
  const onsets = new Map<string, number>()
  for (const stall of stalls) {
    const at = parseIso(stall.onset)
    if (stall.kind !== 'stall' || stall.host === null || at === null) continue
    onsets.set(stall.host, Math.min(at, onsets.get(stall.host) ?? Infinity))
  }
  const first = Math.min(...onsets.values())
  return new Map([...onsets].map(([host, at]) => [host, first - at]))
}

type ZoneFormat = { readonly format: (at: string | number, style?: 'clock') => string }

/** The one sentence of the view: the stalls in the window, how many wait at most, what is marked. */
export function summary(
  marks: components['schemas']['Marks'],
  range: Interval,
  lanes: number,
  zone: ZoneFormat,
): string {
  const inside = (from: number | null, to: number | null) =>
    from !== null && from <= range[1] && (to ?? Infinity) >= range[0]
  const stalls = marks.stalls.filter(
    (s) => s.kind === 'stall' && inside(parseIso(s.onset), parseIso(s.end)),
  )
  const at = (text: string) => parseIso(text)
  const snapshots = marks.snapshots.filter((s) => inside(at(s.time), at(s.time)))
  const events = marks.events.filter((e) => e.time && inside(at(e.time), at(e.time)))
  const [longest] = [...stalls].sort((a, b) => (b.duration_s ?? 0) - (a.duration_s ?? 0))
  const parts: string[] = []
  if (longest) {
    const lasted = longest.duration_s === null ? '' : ` for ${formatDuration(longest.duration_s)}`
    const open = longest.end === null ? ', its end is not captured' : ''
    const waits = longest.peak_waiters ? `, up to ${longest.peak_waiters} waiting` : ''
    const who = longest.corrected_by ? `, times corrected by ${longest.corrected_by}` : ''
    const more = stalls.length > 1 ? ` and ${stalls.length - 1} more` : ''
    const where = longest.host ? ` on ${longest.host}` : ''
    parts.push(
      `Stall from ${zone.format(longest.onset, 'clock')}${lasted}${where}${waits}${open}${who}${more}`,
    )
  } else parts.push('No stall in this window')
  parts.push(
    count(lanes, 'lane'),
    count(snapshots.length, 'snapshot'),
    count(events.length, 'event'),
  )
  return `${parts.join('; ')}.`
}

const count = (n: number, what: string) => `${n} ${what}${n === 1 ? '' : 's'}`
