/** The geometry of the timeline in a report file: the places of lanes and of time, and a lane's line. */
import { bisector } from 'd3-array'
import { extremesOf, linePath, valueScale } from '@/charts/lane'
import { axisOf, type Domain, scaleOf } from '@/charts/laneBox'
import type { Interval } from '@/charts/range'
import type { Lane, LanesDrawing, Point } from './data'

export const WIDTH = 960
export const LEFT = 190
export const RIGHT = WIDTH - 64
export const TOP = 28
export const LANE = 64

export const MIN_SPAN_MS = 100
/** Work that queued up is done in a burst after a stall; see sessions_figure.py. */
const BURST = 2

const timeOf = (point: Point) => point[0]
const valueOf = (point: Point) => point[1]
const byTime = bisector(timeOf)

/** First and last instant of all lanes; null when no lane has a point. */
export function extent(drawing: LanesDrawing): Interval | null {
  const points = drawing.lanes.flatMap((lane) => lane.points)
  const span = extremesOf(points, timeOf, timeOf)
  return span && span[0] < span[1] ? span : null
}

export const xOf = (t: number, range: Interval) => scaleOf(range, { x: LEFT, w: RIGHT - LEFT })(t)

export const tOf = (x: number, [start, end]: Interval) =>
  start + ((x - LEFT) / (RIGHT - LEFT)) * (end - start)

/** The value of the sample nearest to `t`; null in a gap. */
export function valueAt(lane: Lane, t: number): number | null {
  const next = byTime.right(lane.points, t)
  const a = lane.points[next - 1]
  const b = lane.points[next]
  if (!a || !b) return a && a[0] === t ? a[1] : null
  if (a[1] === null || b[1] === null) return a[0] === t ? a[1] : null
  return t - a[0] <= b[0] - t ? a[1] : b[1]
}

/** When the last stall ended; null without stalls, or where an end was not captured. */
export function ended(stalls: LanesDrawing['stalls']): number | null {
  const ends = stalls.flatMap(([, end]) => end ?? [])
  return ends.length > 0 && ends.length === stalls.length ? Math.max(...ends) : null
}

/** Lowest (zero at most) and highest value of a lane inside a range. */
export function bounds(lane: Lane, range: Interval): Domain {
  return axisOf(extremesOf(within(lane, range), valueOf, valueOf))
}

const within = (lane: Lane, [start, end]: Interval) =>
  lane.points.filter(([t]) => t >= start && t <= end)

/** The value axis: a burst after the last stall may be above it, beside which the fall would not show. */
function axis(lane: Lane, range: Interval, over: number | null): Domain {
  const [low, high] = bounds(lane, range)
  const before = within(lane, range).filter(([t]) => over === null || t < over)
  const usual = Math.max(0, ...before.map((point) => point[1] ?? 0))
  return usual > 0 && high > BURST * usual ? [low, usual * 1.1] : [low, high]
}

/** A lane in a range: its axis, its line, and the tips of the marks of what is higher than drawn. */
export type LaneShape = {
  readonly axis: Domain
  /** An SVG path; a gap lifts the pen. One point beyond each end is drawn. */
  readonly path: string
  readonly marks: readonly (readonly [x: number, y: number])[]
}

export function shapeOf(
  lane: Lane,
  range: Interval,
  top: number,
  over: number | null = null,
): LaneShape {
  const first = Math.max(0, byTime.right(lane.points, range[0]) - 1)
  const shown = lane.points.slice(first, byTime.right(lane.points, range[1]) + 1)
  const [low, high] = axis(lane, range, over)
  const toX = scaleOf(range, { x: LEFT, w: RIGHT - LEFT })
  const toY = valueScale([low, high], { top: top + 8, height: LANE - 20 })
  const path = linePath(
    shown,
    (point) => toX(timeOf(point)),
    (point) => (point[1] === null ? null : toY(Math.min(point[1], high))),
  )
  const higher = shown.filter((point) => point[1] !== null && point[1] > high)
  return { axis: [low, high], path, marks: higher.map(([t]) => [toX(t), top + 3]) }
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
