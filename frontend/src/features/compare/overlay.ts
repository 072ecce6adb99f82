/** Layout of one series of several sides on an axis of seconds. */
import { bisector, extent, max, min } from 'd3-array'
import { scaleLinear } from 'd3-scale'
import type { Rows } from '@/charts/exportSvg'
import { bandPath, extremesOf, linePath } from '@/charts/lane'
import { gapsBetween, type Interval } from '@/charts/range'
import { axisOf } from '@/charts/laneBox'
import { zonedTicks } from '@/charts/ticks'
import { formatMeasured, formatTick } from '@/format'
import type { OverlayDoc } from './queries'
import { NAMES } from '@/state/sides'

/** The response with typed points: four numbers, which the JSON schema cannot express. */
type Drawn = Omit<OverlayDoc, 'lines'> & {
  readonly lines: readonly (Omit<OverlayDoc['lines'][number], 'points'> & {
    readonly points: readonly (readonly number[])[]
  })[]
}

type Point = readonly [seconds: number, middle: number, least: number, most: number]
const middle = (point: Point) => point[1]
const least = (point: Point) => point[2]
const most = (point: Point) => point[3]

export type OverlayShape = {
  readonly key: string
  readonly side: number
  readonly label: string
  readonly line: string
  readonly band: string
}
type Overlay = {
  readonly shapes: readonly OverlayShape[]
  readonly x: readonly { readonly at: number; readonly label: string }[]
  readonly y: readonly { readonly at: number; readonly label: string }[]
  /** Pixel of second 0; null for clock time or outside of the plot. */
  readonly zero: number | null
  /** Convert a pixel inside the plot to seconds. */
  readonly secondsAt: (px: number) => number
  readonly pxOf: (seconds: number) => number
}

type Frame = {
  readonly left?: number
  readonly top?: number
  readonly zone?: string
  /** Of each side, epoch ms. */
  readonly gaps?: readonly (readonly Interval[])[]
}

/** The time between captures, in order. */
export function betweenCaptures(
  captures: readonly { readonly first: string | null; readonly last: string | null }[],
): readonly Interval[] {
  return gapsBetween(
    captures.flatMap(({ first, last }) =>
      first && last ? [[Date.parse(first), Date.parse(last)] as const] : [],
    ),
  )
}

/** Points with one without values in each gap that lies between two of them: it lifts the pen. */
function interrupted(points: readonly Point[], zero: number, gaps: readonly Interval[]): Point[] {
  let next = 0
  return points.flatMap((point, at) => {
    const before = points[at - 1]
    if (!before) return [point]
    const [from, to] = [zero + before[0] * 1000, zero + point[0] * 1000]
    while (next < gaps.length && (gaps[next]?.[1] ?? 0) <= from) next++
    const gap = gaps[next]
    // Points of summed-up seconds may begin inside a capture and end in the gap after it.
    const crosses = gap !== undefined && gap[0] < to && gap[1] > from
    return crosses ? [[before[0], NaN, NaN, NaN] as const, point] : [point]
  })
}

/** Left margin for the axis labels, in pixels. */
export const LEFT = 56

/** Lay out the lines in a width × height box of CSS pixels, with margins for the axes; `zone` is of clock time. */
export function layoutOverlay(
  doc: Drawn,
  width: number,
  height: number,
  { left = LEFT, top = 20, zone = 'UTC', gaps = [] }: Frame = {},
): Overlay | null {
  const lines = doc.lines.map((line) => {
    const points = line.points as unknown as Point[]
    const zero = doc.align === 'clock' ? 0 : Date.parse(line.zero)
    return { ...line, points: interrupted(points, zero, gaps[line.side] ?? []) }
  })
  const every = lines.flatMap((line) => line.points)
  const [first, last] = extent(every, (point) => point[0])
  if (first === undefined || last === undefined || width <= left) return null
  const clock = doc.align === 'clock'
  const domain: [number, number] = [first, last === first ? first + 1 : last]
  const numeric = scaleLinear()
    .domain(domain)
    .range([left, width - 8])
  const y = scaleLinear()
    .domain(axisOf(extremesOf(every, least, most)))
    .nice(4)
    .range([height - 6, top + 6])
  const toX = (point: Point) => numeric(point[0])
  const on = (value: (point: Point) => number) => (point: Point) =>
    Number.isNaN(value(point)) ? null : y(value(point))
  const ticks = Math.max(2, Math.floor((width - left) / 110))
  return {
    shapes: lines.map((line, i) => ({
      key: `${i}`,
      side: line.side,
      label: line.host && doc.lines.length > 1 ? `${line.label} (${line.host})` : line.label,
      line: linePath(line.points, toX, on(middle)),
      band: bandPath(line.points, toX, on(least), on(most)),
    })),
    x: clock
      ? zonedTicks([domain[0] * 1000, domain[1] * 1000], width - 8 - left, zone).map((tick) => ({
          at: left + tick.x,
          label: tick.label,
        }))
      : numeric
          .ticks(ticks)
          .map((at) => ({ at: numeric(at), label: `${at > 0 ? '+' : ''}${at} s` })),
    y: y.ticks(4).map((at) => ({ at: y(at), label: formatTick(at) })),
    zero: !clock && domain[0] <= 0 && domain[1] >= 0 ? numeric(0) : null,
    secondsAt: (px) => Math.min(domain[1], Math.max(domain[0], numeric.invert(px))),
    pxOf: (seconds) => numeric(seconds),
  }
}

/** Return the nearest value of each line at a time; null when it is further than `reach` seconds. */
export function valuesAt(doc: Drawn, seconds: number, reach: number): readonly (string | null)[] {
  const nearest = bisector((point: readonly number[]) => point[0] ?? 0)
  return doc.lines.map(({ points }) => {
    const point = points[nearest.center(points, seconds)]
    if (!point || Math.abs((point[0] ?? 0) - seconds) > reach) return null
    const [, middle, least, most] = point
    return least === most
      ? formatMeasured(middle)
      : `${formatMeasured(least)}–${formatMeasured(most)}`
  })
}

/** Describe the chart: "qps in A baseline between 380 and 420, in B stall between 20 and 7779." */
export function overlaySentence(series: string, doc: Drawn): string {
  const parts = doc.lines.map(({ side, label, points }) => {
    const least = min(points, (point) => point[2])
    const most = max(points, (point) => point[3])
    const name = `in ${NAMES[side] ?? ''} ${label}`
    return least === undefined || most === undefined
      ? `${name} without samples`
      : `${name} between ${formatMeasured(least)} and ${formatMeasured(most)}`
  })
  return `${series} ${parts.join(', ')}.`
}

/** Return the chart as rows for export: one per point, in seconds from the alignment. */
export function overlayRows(doc: Drawn): Rows {
  return {
    columns: ['side', 'label', 'seconds', 'middle', 'min', 'max'],
    rows: doc.lines.flatMap(({ side, label, points }) =>
      points.map((point) => [NAMES[side] ?? side, label, ...point]),
    ),
  }
}
