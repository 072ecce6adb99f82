/** The confidence in a hypothesis over time: a step line between 0 and 100%. */
import { scaleLinear, scaleUtc } from 'd3-scale'
import { curveStepAfter, line } from 'd3-shape'
import { useWidth } from '@/charts/useWidth'
import { useZone } from '@/state/incident'
import type { Hypothesis } from './queries'
import './chronicle.css'

type Step = Hypothesis['history'][number]

const HEIGHT = 72
const PAD = { left: 28, right: 6, top: 6, bottom: 16 }

export function ConfidenceChart({
  steps,
  by,
}: {
  readonly steps: readonly Step[]
  /** Which time of a step places it. */
  readonly by: 'happened' | 'recorded'
}) {
  const [ref, width] = useWidth<HTMLDivElement>()
  const zone = useZone()
  const points = steps.flatMap((step) =>
    step.confidence === null
      ? []
      : [
          {
            at: Date.parse((by === 'happened' ? step.happened_at : null) ?? step.recorded_at),
            confidence: step.confidence,
          },
        ],
  )
  const first = points[0]
  const last = points.at(-1)
  if (!first || !last || first.at === last.at) return null
  const x = scaleUtc([first.at, last.at], [PAD.left, Math.max(PAD.left + 1, width - PAD.right)])
  const y = scaleLinear([0, 100], [HEIGHT - PAD.bottom, PAD.top])
  const path = line<(typeof points)[number]>(
    (point) => x(point.at),
    (point) => y(point.confidence),
  ).curve(curveStepAfter)
  const words = points
    .map((point) => `${zone.format(point.at, 'date')} ${point.confidence}%`)
    .join(', ')
  return (
    <div ref={ref} className="chronicle-confidence">
      {width > 0 && (
        <svg width={width} height={HEIGHT} role="img" aria-label={`Confidence: ${words}`}>
          {[0, 50, 100].map((tick) => (
            <g key={tick} className="chronicle-tick">
              <line x1={PAD.left} x2={width - PAD.right} y1={y(tick)} y2={y(tick)} />
              <text x={PAD.left - 4} y={y(tick)} dy="0.32em" textAnchor="end">
                {tick}
              </text>
            </g>
          ))}
          <path className="chronicle-line" d={path(points) ?? ''} />
          {points.map((point, index) => (
            <circle
              key={index}
              className="chronicle-dot"
              r={2.5}
              cx={x(point.at)}
              cy={y(point.confidence)}
            />
          ))}
          <text className="chronicle-label" x={PAD.left} y={HEIGHT - 3}>
            {zone.format(first.at, 'date')}
          </text>
          <text className="chronicle-label" x={width - PAD.right} y={HEIGHT - 3} textAnchor="end">
            {zone.format(last.at, 'date')}
          </text>
        </svg>
      )}
    </div>
  )
}
