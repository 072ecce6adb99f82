/** A series in seconds from the onset of a stall, or from the first sample; a gap stays empty. */
import { scaleLinear } from 'd3-scale'
import { area, curveStepAfter } from 'd3-shape'
import type { Episodes } from './aligned'
import './evidence.css'

type Thumbnail = NonNullable<Episodes['episodes'][number]['thumbnail']>

export function AlignedPicture({
  thumbnail,
  from,
  to,
  top,
  width = 220,
  height = 36,
}: {
  readonly thumbnail: Thumbnail | null
  /** Seconds at both ends, the same for all pictures of a list. */
  readonly from: number
  readonly to: number
  /** Value at the upper edge; without it, the highest one. */
  readonly top?: number
  readonly width?: number
  readonly height?: number
}) {
  if (!thumbnail) return <span className="aligned-picture muted">no series shows it</span>
  const x = scaleLinear([from, Math.max(to, from + 1)], [0, width])
  const y = scaleLinear([0, top ?? highest(thumbnail)], [height, 2])
  const shape = area<(typeof thumbnail.points)[number]>()
    .defined(([, value]) => value != null)
    .curve(curveStepAfter)
    .x(([second]) => x(second ?? 0))
    .y0(height)
    .y1(([, value]) => y(value ?? 0))
  const before = thumbnail.baseline === null ? '' : `${thumbnail.baseline} before, `
  const peak = thumbnail.peak === null ? 'no value during the stall' : `peak ${thumbnail.peak}`
  const label = `${thumbnail.title}: ${before}${peak}`
  return (
    <svg className="aligned-picture" width={width} height={height} role="img" aria-label={label}>
      <path className="aligned-area" d={shape(thumbnail.points) ?? ''} />
      <line className="aligned-onset" x1={x(0)} x2={x(0)} y1={0} y2={height} />
    </svg>
  )
}

/** The highest value of a picture; 1 for one that is zero throughout. */
export const highest = (thumbnail: Thumbnail) =>
  Math.max(1, ...thumbnail.points.map(([, value]) => value ?? 0))
