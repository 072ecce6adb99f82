/** Where marks go: stall bands, snapshot ticks, events; crowded ticks are merged per pixel column. */
import { rollup, max, min } from 'd3-array'
import type { components } from '@/api/schema'
import { parseIso, type Interval, type TimeScale } from '@/charts/time'

type Stall = components['schemas']['StallDoc']
type SnapshotMark = components['schemas']['SnapshotMark']

export interface Band {
  x: number
  width: number
  stall: Stall
  /** The capture ends inside the stall: the right edge is open. */
  open: boolean
}

export interface SnapshotTick {
  x: number
  /** Snapshots merged into this tick. */
  count: number
  waiters: number
  /** 0..1 of the most waiters of any tick. */
  weight: number
  /** The snapshot with the most waiters among those merged. */
  snapshot: SnapshotMark
}

/** Pale bands behind the lanes, clipped to the plot. */
export function layoutStalls(stalls: readonly Stall[], x: TimeScale, width: number): Band[] {
  return stalls.flatMap((stall) => {
    const onset = parseIso(stall.onset)
    if (onset === null || stall.kind !== 'stall') return []
    const end = parseIso(stall.end)
    const left = Math.max(0, x(onset))
    const right = Math.min(width, end === null ? width : x(end))
    return right > left ? [{ x: left, width: right - left, stall, open: end === null }] : []
  })
}

const TICK = 6

/** One tick per six pixels at most, as tall as the most waiters in it. */
export function layoutSnapshots(
  snapshots: readonly SnapshotMark[],
  x: TimeScale,
  width: number,
): SnapshotTick[] {
  const visible = snapshots.flatMap((snapshot) => {
    const at = parseIso(snapshot.time)
    const px = at === null ? NaN : x(at)
    return px >= 0 && px <= width ? [{ snapshot, px }] : []
  })
  const columns = rollup(
    visible,
    (members) => {
      const worst = members.reduce((a, b) => (waiting(b.snapshot) > waiting(a.snapshot) ? b : a))
      return {
        x: worst.px,
        count: members.length,
        waiters: waiting(worst.snapshot),
        snapshot: worst.snapshot,
      }
    },
    ({ px }) => Math.floor(px / TICK),
  )
  const ticks = [...columns.values()]
  const most = max(ticks, (tick) => tick.waiters) ?? 0
  return ticks.map((tick) => ({ ...tick, weight: most > 0 ? tick.waiters / most : 0 }))
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

/** A range for a first look: the stalls with half their length around, else everything. */
export function firstLook(marks: components['schemas']['Marks'] | undefined): Interval | null {
  const whole = wholeRange(marks)
  if (!whole || !marks) return whole
  const stalls = marks.stalls.filter((s) => s.kind === 'stall')
  const start = min(stalls, (s) => parseIso(s.onset) ?? undefined)
  const end = max(stalls, (s) => parseIso(s.end) ?? whole[1])
  if (start === undefined || end === undefined) return whole
  const margin = Math.max(30_000, (end - start) / 2)
  return [Math.max(whole[0], start - margin), Math.min(whole[1], end + margin)]
}
