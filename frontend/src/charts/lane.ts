/**
 * One series as a lane: a min-max band, a line through the means, gaps left open.
 *
 * Points are (epoch ms, min, max, mean) as the server sends them; three nulls are a gap.
 */
import { extent } from 'd3-array'
import { scaleLinear, scaleSymlog } from 'd3-scale'
import { area, curveLinear, curveStepAfter, line } from 'd3-shape'
import type { TimeScale } from './time'

export type LanePoint = readonly [number, number | null, number | null, number | null]

/** A point as the server sends it, with its length known to the compiler. */
export function lanePoint(values: readonly (number | null)[]): LanePoint {
  const [at = null, min = null, max = null, mean = null] = values
  return [at ?? 0, min, max, mean]
}

interface LaneShape {
  /** SVG path of the min-max band; empty when nothing was decimated. */
  band: string
  line: string
  /** Lone points between two gaps, which a line would not show. */
  dots: { x: number; y: number }[]
  low: number
  high: number
  y: (value: number) => number
}

interface LaneOptions {
  height: number
  /** Space kept free above and below. */
  padding?: number
  log?: boolean
  /** Step lines for sparsely sampled gauges. */
  step?: boolean
  /** A fixed domain, shared between lanes; else 0 (or the minimum below it) to the maximum. */
  domain?: readonly [number, number]
}

export function layoutLane(
  points: readonly LanePoint[],
  x: TimeScale,
  { height, padding = 6, log = false, step = false, domain }: LaneOptions,
): LaneShape | null {
  const known = points.filter(isKnown)
  if (known.length === 0) return null
  const [low = 0] = extent(known, (p) => p[1])
  const [, high = 0] = extent(known, (p) => p[2])
  const [bottom, top] = domain ?? [
    Math.min(0, low),
    high === low && high === 0 ? 1 : Math.max(0, high),
  ]
  const y = (log ? scaleSymlog() : scaleLinear())
    .domain([bottom, top === bottom ? top + 1 : top])
    .range([height - padding, padding])
  const curve = step ? curveStepAfter : curveLinear
  const banded = known.some((p) => p[1] !== p[2])
  const drawBand = area<LanePoint>()
    .defined(isKnown)
    .x((p) => x(p[0]))
    .y0((p) => y(p[1] ?? 0))
    .y1((p) => y(p[2] ?? 0))
    .curve(curve)
    .digits(1)
  const drawLine = line<LanePoint>()
    .defined(isKnown)
    .x((p) => x(p[0]))
    .y((p) => y(p[3] ?? 0))
    .curve(curve)
    .digits(1)
  return {
    band: banded ? (drawBand(points) ?? '') : '',
    line: drawLine(points) ?? '',
    dots: points.flatMap((p, i) => {
      const alone = isKnown(p) && !isKnown(points[i - 1]) && !isKnown(points[i + 1])
      return alone ? [{ x: x(p[0]), y: y(p[3]) }] : []
    }),
    low,
    high,
    y,
  }
}

/** The point nearest to an instant, if it is within `tolerance` ms. */
export function pointAt(
  points: readonly LanePoint[],
  at: number,
  tolerance = Infinity,
): readonly [number, number, number, number] | null {
  let low = 0
  let high = points.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((points[middle]?.[0] ?? Infinity) < at) low = middle + 1
    else high = middle
  }
  let before = low - 1
  while (before >= 0 && !isKnown(points[before])) before--
  let after = low
  while (after < points.length && !isKnown(points[after])) after++
  const near = [points[before], points[after]].filter(isKnown)
  const best = near.sort((a, b) => Math.abs(a[0] - at) - Math.abs(b[0] - at))[0]
  return best && Math.abs(best[0] - at) <= tolerance ? best : null
}

function isKnown(point: LanePoint | undefined): point is readonly [number, number, number, number] {
  return point !== undefined && point[1] !== null && point[2] !== null && point[3] !== null
}
