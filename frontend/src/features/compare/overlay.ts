/** Layout of one series of several sides over one axis of seconds. */
import { bisector, extent, max, min } from 'd3-array'
import { scaleLinear, scaleUtc } from 'd3-scale'
import { area, line } from 'd3-shape'
import type { Rows } from '@/charts/exportSvg'
import { formatMeasured } from '@/format'
import type { OverlayDoc } from './queries'
import { NAMES } from './sides'

/** As the client sends it: a point is four numbers, which JSON does not promise. */
type Drawn = Omit<OverlayDoc, 'lines'> & {
  readonly lines: readonly (Omit<OverlayDoc['lines'][number], 'points'> & {
    readonly points: readonly (readonly number[])[]
  })[]
}

type Point = readonly [seconds: number, middle: number, least: number, most: number]

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
  /** Where second 0 is; null by the clock or when it is not in sight. */
  readonly zero: number | null
  /** Seconds of a pixel, inside the plot, and back. */
  readonly secondsAt: (px: number) => number
  readonly pxOf: (seconds: number) => number
}

/** Pixels at the left for the numbers of the axis. */
export const LEFT = 56

/** Places the lines in a width × height box of CSS pixels; axes take `left` and `top`. */
export function layoutOverlay(
  doc: Drawn,
  width: number,
  height: number,
  { left = LEFT, top = 20 } = {},
): Overlay | null {
  const lines = doc.lines.map((line) => ({ ...line, points: line.points as unknown as Point[] }))
  const every = lines.flatMap((line) => line.points)
  const [first, last] = extent(every, (point) => point[0])
  if (first === undefined || last === undefined || width <= left) return null
  const clock = doc.align === 'clock'
  const domain: [number, number] = [first, last === first ? first + 1 : last]
  const numeric = scaleLinear()
    .domain(domain)
    .range([left, width - 8])
  const time = scaleUtc()
    .domain(domain.map((seconds) => new Date(seconds * 1000)))
    .range([left, width - 8])
  const lowest = Math.min(0, ...every.map((point) => point[2]))
  const highest = Math.max(...every.map((point) => point[3]))
  const y = scaleLinear()
    .domain([lowest, highest === lowest ? lowest + 1 : highest])
    .nice(4)
    .range([height - 6, top + 6])
  const drawn = line<Point>(
    (point) => numeric(point[0]),
    (point) => y(point[1]),
  )
  const band = area<Point>(
    (point) => numeric(point[0]),
    (point) => y(point[2]),
    (point) => y(point[3]),
  )
  const ticks = Math.max(2, Math.floor((width - left) / 110))
  return {
    shapes: lines.map((line, i) => ({
      key: `${i}`,
      side: line.side,
      label: line.host && doc.lines.length > 1 ? `${line.label} (${line.host})` : line.label,
      line: drawn(line.points) ?? '',
      band: line.points.some((point) => point[2] !== point[3]) ? (band(line.points) ?? '') : '',
    })),
    x: clock
      ? time.ticks(ticks).map((at) => ({ at: time(at), label: time.tickFormat(ticks)(at) }))
      : numeric
          .ticks(ticks)
          .map((at) => ({ at: numeric(at), label: `${at > 0 ? '+' : ''}${at} s` })),
    y: y.ticks(4).map((at) => ({ at: y(at), label: y.tickFormat(4, '~s')(at) })),
    zero: !clock && domain[0] <= 0 && domain[1] >= 0 ? numeric(0) : null,
    secondsAt: (px) => Math.min(domain[1], Math.max(domain[0], numeric.invert(px))),
    pxOf: (seconds) => numeric(seconds),
  }
}

/** What each line says at an instant: its nearest point, null where that lies too far away. */
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

/** "qps in A baseline between 380 and 420, in B stall between 20 and 7779." */
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

/** What is drawn, as a table for a file: a row per point, seconds from where the sides are aligned. */
export function overlayRows(doc: Drawn): Rows {
  return {
    columns: ['side', 'label', 'seconds', 'middle', 'min', 'max'],
    rows: doc.lines.flatMap(({ side, label, points }) =>
      points.map((point) => [NAMES[side] ?? side, label, ...point]),
    ),
  }
}
