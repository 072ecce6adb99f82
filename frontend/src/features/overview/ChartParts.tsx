/** Parts of the charts at the top of the overview: the stall, and its turning points. */
import type { Interval } from '@/charts/range'
import type { StallDoc } from '@/api/schema'
import { type ChartMark, placeMarks } from './chartMarks'
import './active-sessions.css'

/** The baseline of the first label, and the distance between labels. */
const FIRST_MARK = 28
const MARK = 15

/** The label of the scale is above the areas, in whose colours it could not be read. */
export const TOP_LABEL = 18

/** The height of a chart: a wide page has a tall one, of the same shape. */
export const heightOf = (width: number) => Math.round(Math.min(320, Math.max(180, width * 0.16)))

export function StallBand({
  stall,
  x,
  range,
  height,
}: {
  readonly stall: StallDoc | null
  readonly x: (at: number) => number
  readonly range: Interval
  readonly height: number
}) {
  if (!stall) return null
  const from = Math.max(range[0], Date.parse(stall.onset))
  const to = Math.min(range[1], stall.end ? Date.parse(stall.end) : range[1])
  return (
    <rect
      className="active-sessions-stall"
      x={x(from)}
      width={Math.max(0, x(to) - x(from))}
      height={height}
    />
  )
}

/** The turning points and the onset as lines, each with its text on a line of its own, before all lines. */
export function Marks({
  marks,
  x,
  width,
  height,
}: {
  readonly marks: readonly ChartMark[]
  readonly x: (at: number) => number
  readonly width: number
  readonly height: number
}) {
  const placed = placeMarks(marks, x, width)
  return (
    <>
      {placed.map((mark) => (
        <g
          key={`${mark.kind}${mark.at}`}
          className={`active-sessions-mark active-sessions-${mark.kind}`}
        >
          <line x1={mark.x} x2={mark.x} y1={FIRST_MARK + mark.row * MARK - 8} y2={height} />
        </g>
      ))}
      {placed.map((mark) => (
        <g
          key={`${mark.kind}${mark.at}`}
          className={`active-sessions-mark active-sessions-${mark.kind}`}
        >
          <text
            x={mark.x + (mark.isLeft ? -4 : 4)}
            y={FIRST_MARK + mark.row * MARK}
            textAnchor={mark.isLeft ? 'end' : 'start'}
          >
            {mark.text}
          </text>
        </g>
      ))}
    </>
  )
}
