/** The time axis above stacked lanes: hairlines, clock labels, the date where a day begins. */
import { shiftedToZone } from '@/format'
import { timeScale, timeTicks, type Interval } from './time'

type Props = { range: Interval; width: number; zone: string; height?: number }

export const AXIS_HEIGHT = 34

/** Ticks are round in the shown zone, so the scale is shifted to it before they are chosen. */
export function zonedTicks(range: Interval, width: number, zone: string) {
  const start = shiftedToZone(range[0], zone).getTime()
  const shifted = timeScale([start, start + (range[1] - range[0])], width)
  return timeTicks(shifted, width)
}

export function TimeAxis({ range, width, zone, height = AXIS_HEIGHT }: Props) {
  return (
    <svg width={width} height={height} aria-hidden="true" style={{ display: 'block' }}>
      <line x1={0} x2={width} y1={height - 0.5} y2={height - 0.5} stroke="var(--line)" />
      {zonedTicks(range, width, zone).map((tick) => (
        <g key={tick.at} transform={`translate(${tick.x},0)`}>
          <line y1={height - 5} y2={height} stroke="var(--axis)" />
          <text
            y={height - 9}
            textAnchor={tick.x < 24 ? 'start' : tick.x > width - 24 ? 'end' : 'middle'}
            fontSize={11}
            fill="var(--text-2)"
          >
            {tick.label}
          </text>
          {tick.date && (
            <text
              y={11}
              textAnchor={tick.x < 24 ? 'start' : tick.x > width - 24 ? 'end' : 'middle'}
              fontSize={11}
              fill="var(--text-3)"
            >
              {tick.date}
            </text>
          )}
        </g>
      ))}
    </svg>
  )
}
