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

/** Lowest (zero at most) and highest value of a lane inside a range. */
export function bounds(lane: Lane, range: Interval): Domain {
  const inside = lane.points.filter(([t]) => t >= range[0] && t <= range[1])
  return axisOf(extremesOf(inside, valueOf, valueOf))
}

/** The lane's line as an SVG path; a gap lifts the pen. One point beyond each end is drawn. */
export function pathOf(lane: Lane, range: Interval, top: number): string {
  const first = Math.max(0, byTime.right(lane.points, range[0]) - 1)
  const shown = lane.points.slice(first, byTime.right(lane.points, range[1]) + 1)
  const toX = scaleOf(range, { x: LEFT, w: RIGHT - LEFT })
  const toY = valueScale(bounds(lane, range), { top: top + 8, height: LANE - 20 })
  return linePath(
    shown,
    (point) => toX(timeOf(point)),
    (point) => (point[1] === null ? null : toY(point[1])),
  )
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
