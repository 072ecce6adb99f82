/**
 * Pure layout of the timeline in a report file: scales, paths, ticks, the value at an instant.
 * Not charts/lane and charts/time: d3-scale alone would make the script five times as large (ADR 0007).
 */
import type { Interval } from '@/charts/range'
import type { Lane, LanesDrawing, Point } from './data'

export const WIDTH = 960
export const LEFT = 190
export const RIGHT = WIDTH - 64
export const TOP = 28
export const LANE = 64

export const MIN_SPAN_MS = 100
const STEPS_S = [
  0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200,
  86400,
]

/** First and last instant of all lanes; null when no lane has a point. */
export function extent(drawing: LanesDrawing): Interval | null {
  let first = Infinity
  let last = -Infinity
  for (const lane of drawing.lanes) {
    for (const [t] of lane.points) {
      if (t < first) first = t
      if (t > last) last = t
    }
  }
  return first < last ? [first, last] : null
}

export const xOf = (t: number, [start, end]: Interval) =>
  LEFT + ((t - start) / (end - start)) * (RIGHT - LEFT)

export const tOf = (x: number, [start, end]: Interval) =>
  start + ((x - LEFT) / (RIGHT - LEFT)) * (end - start)

/** Index of the last point at or before `t`, or -1. Points are in time order. */
export function before(points: readonly Point[], t: number): number {
  let low = 0
  let high = points.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((points[middle]?.[0] ?? Infinity) <= t) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** The value of the sample nearest to `t`; null in a gap. */
export function valueAt(lane: Lane, t: number): number | null {
  const index = before(lane.points, t)
  const a = lane.points[index]
  const b = lane.points[index + 1]
  if (!a) return b && b[0] === t ? b[1] : null
  if (!b) return a[0] === t ? a[1] : null
  if (a[1] === null || b[1] === null) return a[0] === t ? a[1] : null
  return t - a[0] <= b[0] - t ? a[1] : b[1]
}

/** Lowest (zero at most) and highest value of a lane inside a range. */
export function bounds(lane: Lane, range: Interval): readonly [low: number, high: number] {
  let low = 0
  let high = -Infinity
  for (const [t, value] of lane.points) {
    if (value === null || t < range[0] || t > range[1]) continue
    if (value < low) low = value
    if (value > high) high = value
  }
  return high > low ? [low, high] : [low, low + 1]
}

/** The lane's line as an SVG path; a gap lifts the pen. One point beyond each end is drawn. */
export function pathOf(lane: Lane, range: Interval, top: number): string {
  const [low, high] = bounds(lane, range)
  const parts: string[] = []
  let pen = 'M'
  const from = Math.max(before(lane.points, range[0]), 0)
  for (let index = from; index < lane.points.length; index++) {
    const point = lane.points[index]
    if (!point) break
    const [t, value] = point
    if (value === null) pen = 'M'
    else {
      const y = top + LANE - 12 - ((LANE - 20) * (value - low)) / (high - low)
      parts.push(`${pen}${xOf(t, range).toFixed(1)},${y.toFixed(1)}`)
      pen = 'L'
    }
    if (t > range[1]) break
  }
  return parts.join('')
}

/** At most `most` round instants. */
export function ticks([start, end]: Interval, most = 8): number[] {
  const span = (end - start) / 1000
  const step =
    (STEPS_S.find((value) => span / value <= most) ?? 86400 * Math.ceil(span / 86400 / most)) * 1000
  const out: number[] = []
  for (let t = Math.ceil(start / step) * step; t <= end; t += step) out.push(t)
  return out
}

export function short(value: number): string {
  for (const [limit, suffix] of [
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
  ] as const) {
    if (Math.abs(value) >= limit) return `${Number((value / limit).toPrecision(3))}${suffix}`
  }
  return String(Number(value.toPrecision(3)))
}
