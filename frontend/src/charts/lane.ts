/**
 * A series as SVG paths: a line through the middle, a band from least to most, gaps left open. Imports
 * d3-shape alone, for the viewer of report files; the timeline draws its many lanes by tileLane.
 *
 * Points are (epoch ms, min, max, mean) as the server sends them; three nulls are a gap.
 */
import { area, line } from 'd3-shape'
import { axisOf, type Domain, scaleOf } from './laneBox'
import type { Interval } from './range'

export type LanePoint = readonly [number, number | null, number | null, number | null]

/** A point as the server sends it, with its length known to the compiler. */
export function lanePoint(values: readonly (number | null)[]): LanePoint {
  const [at = null, min = null, max = null, mean = null] = values
  return [at ?? 0, min, max, mean]
}

type Value<Point> = (point: Point) => number | null

/** The path of a line; a point whose `y` is null lifts the pen. */
export function linePath<Point>(
  points: readonly Point[],
  x: (point: Point) => number,
  y: Value<Point>,
): string {
  const draw = line<Point>()
    .defined((point) => y(point) !== null)
    .x(x)
    .y((point) => y(point) ?? 0)
    .digits(1)
  return draw(points) ?? ''
}

/** The path of a band; empty where no point has two values, and open where one is null. */
export function bandPath<Point>(
  points: readonly Point[],
  x: (point: Point) => number,
  low: Value<Point>,
  high: Value<Point>,
): string {
  if (points.every((point) => low(point) === high(point))) return ''
  const draw = area<Point>()
    .defined((point) => low(point) !== null && high(point) !== null)
    .x(x)
    .y0((point) => low(point) ?? 0)
    .y1((point) => high(point) ?? 0)
    .digits(1)
  return draw(points) ?? ''
}

/** The lowest and the highest value of points; null where all are gaps. */
export function extremesOf<Point>(
  points: Iterable<Point>,
  low: Value<Point>,
  high: Value<Point>,
): Domain | null {
  let least = Infinity
  let most = -Infinity
  for (const point of points) {
    const [from, to] = [low(point), high(point)]
    if (from !== null && from < least) least = from
    if (to !== null && to > most) most = to
  }
  return most < least ? null : [least, most]
}

/** Pixels from values: the lowest at the bottom of a box, inside its padding. */
export function valueScale(
  [low, high]: Domain,
  { top = 0, height, padding = 0 }: { top?: number; height: number; padding?: number },
): (value: number) => number {
  const factor = (height - 2 * padding) / (high - low || 1)
  return (value) => top + height - padding - (value - low) * factor
}

type LaneShape = { readonly band: string; readonly line: string }

/** One series in a box of a range; null where all its points are gaps. */
export function layoutLane(
  points: readonly LanePoint[],
  range: Interval,
  box: { readonly width: number; readonly height: number; readonly padding: number },
): LaneShape | null {
  const domain = extremesOf(
    points,
    (point) => point[1],
    (point) => point[2],
  )
  if (!domain) return null
  const toX = scaleOf(range, { x: 0, w: box.width })
  const toY = valueScale(axisOf(domain), box)
  const x = (point: LanePoint) => toX(point[0])
  const y = (index: 1 | 2 | 3) => (point: LanePoint) => {
    const value = point[index]
    return value === null ? null : toY(value)
  }
  return { band: bandPath(points, x, y(1), y(2)), line: linePath(points, x, y(3)) }
}
