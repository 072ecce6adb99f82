/** The chart of completed work, where nothing counts active sessions. */
import { useMemo } from 'react'
import type { Interval } from '@/charts/range'
import { stackedTime } from '@/charts/stackedTime'
import { TimeAxis } from '@/charts/TimeAxis'
import { useWidth } from '@/charts/useWidth'
import type { StallDoc, StoryMark, StoryWork } from '@/api/schema'
import { formatNumber } from '@/format'
import { useZone } from '@/state/incident'
import { heightOf, Marks, StallBand, TOP_LABEL } from './ChartParts'
import { chartMarks } from './chartMarks'

type Props = {
  readonly work: StoryWork
  readonly stall: StallDoc | null
  /** The turning points of the stall, in time order. */
  readonly turns: readonly StoryMark[]
}

export function Work({ work, stall, turns }: Props) {
  const [box, width] = useWidth<HTMLDivElement>(720)
  const zone = useZone()
  const times = useMemo(() => work.times.map((time) => Date.parse(time)), [work.times])
  const range: Interval = [times[0] ?? 0, times.at(-1) ?? 1]
  const height = heightOf(width)
  const chart = stackedTime(times, [{ id: 'work', values: work.values }], range, width, height)
  const most = `up to ${formatNumber(Math.round(chart.top))} ${work.title} per second`
  return (
    <figure className="active-sessions" aria-label="Completed work over time">
      <div className="active-sessions-plot active-sessions-alone" ref={box}>
        <TimeAxis range={range} width={width} zone={zone.name} />
        <svg
          width={width}
          height={height + TOP_LABEL}
          role="img"
          aria-label={`Completed work: ${most}`}
        >
          <text className="active-sessions-top" x={4} y={12}>
            {most}
          </text>
          <g transform={`translate(0 ${TOP_LABEL})`}>
            <StallBand stall={stall} x={chart.x} range={range} height={height} />
            <path className="active-sessions-work" d={chart.layers[0]?.path} />
            <line className="active-sessions-base" x2={width} y1={height - 0.5} y2={height - 0.5} />
            <Marks
              marks={chartMarks(turns, stall, range)}
              x={chart.x}
              width={width}
              height={height}
            />
          </g>
        </svg>
      </div>
    </figure>
  )
}
