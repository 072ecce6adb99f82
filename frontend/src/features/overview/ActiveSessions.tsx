/** The chart of active sessions by class over time, with its throughput and the marks of the stall. */
import { useMemo, useState, type PointerEvent } from 'react'
import { indexAt, stackedTime } from '@/charts/stackedTime'
import { TimeAxis } from '@/charts/TimeAxis'
import type { Interval } from '@/charts/range'
import { useWidth } from '@/charts/useWidth'
import type { ActiveSessionsDoc, Overview, StallDoc, StoryMark } from '@/api/schema'
import { formatNumber } from '@/format'
import { useZone } from '@/state/incident'
import { CLASSES } from '@/ui/display/glossary'
import { Term } from '@/ui/display/Term'
import { Duration, Measured, ShareValue, Time } from '@/ui/display/Value'
import { heightOf, Marks, StallBand, TOP_LABEL } from './ChartParts'
import { chartMarks } from './chartMarks'
import { classColour } from '@/charts/classColour'
import './active-sessions.css'

const RATE_HEIGHT = 40
/** The label is drawn above the line, which it would hide otherwise. */
const RATE_LABEL = 16
/** From this width on, the label also says what the marks mean. */
const WIDE = 360

type Gap = Overview['active_gaps'][number]
type Props = {
  readonly sessions: ActiveSessionsDoc
  readonly stall: StallDoc | null
  /** The turning points of the stall, in time order. */
  readonly turns: readonly StoryMark[]
  /** Ranges without samples: they stay empty. */
  readonly gaps: readonly Gap[]
}

export function ActiveSessions({ sessions, stall, turns, gaps }: Props) {
  const [box, width] = useWidth<HTMLDivElement>(720)
  const [at, setAt] = useState<number | null>(null)
  const zone = useZone()
  const times = useMemo(() => sessions.times.map((time) => Date.parse(time)), [sessions.times])
  const range: Interval = [times[0] ?? 0, times.at(-1) ?? 1]
  const height = heightOf(width)
  const chart = stackedTime(times, sessions.classes, range, width, height)
  const point = at === null ? -1 : indexAt(times, at)
  const follow = (event: PointerEvent<SVGSVGElement>) => {
    const { left } = event.currentTarget.getBoundingClientRect()
    setAt(range[0] + ((event.clientX - left) / Math.max(1, width)) * (range[1] - range[0]))
  }
  return (
    <figure className="active-sessions" aria-label="Active sessions by what they wait for">
      <div className="active-sessions-plot" ref={box}>
        <TimeAxis range={range} width={width} zone={zone.name} />
        <svg
          width={width}
          height={height + TOP_LABEL}
          role="img"
          aria-label={describe(sessions)}
          onPointerMove={follow}
          onPointerLeave={() => setAt(null)}
        >
          <text className="active-sessions-top" x={4} y={12}>
            {formatNumber(Math.round(chart.top))} active sessions
          </text>
          <g transform={`translate(0 ${TOP_LABEL})`}>
            <StallBand stall={stall} x={chart.x} range={range} height={height} />
            {chart.layers.map((layer) => (
              <path key={layer.id} d={layer.path} fill={classColour(layer.id)} />
            ))}
            {gaps.map((gap) => (
              <rect
                key={gap['start']}
                className="active-sessions-gap"
                x={chart.x(Date.parse(gap['start'] ?? ''))}
                width={
                  chart.x(Date.parse(gap['end'] ?? '')) - chart.x(Date.parse(gap['start'] ?? ''))
                }
                height={height}
              />
            ))}
            <line className="active-sessions-base" x2={width} y1={height - 0.5} y2={height - 0.5} />
            <Marks
              marks={chartMarks(turns, stall, range)}
              x={chart.x}
              width={width}
              height={height}
            />
            {at !== null && (
              <line
                className="active-sessions-cross"
                x1={chart.x(at)}
                x2={chart.x(at)}
                y2={height}
              />
            )}
          </g>
        </svg>
        <Rate {...{ sessions, stall, times, range, width, point }} />
      </div>
      <Legend sessions={sessions} point={point} />
    </figure>
  )
}

/**
 * The top of the scale of throughput: what queued up completes in a burst after the stall, beside
 * which the fall during it would not be seen.
 */
function ceiling(values: readonly number[], times: readonly number[], stall: StallDoc | null) {
  const end = stall?.end ? Date.parse(stall.end) : Infinity
  const before = Math.max(1, ...values.filter((_, at) => (times[at] ?? 0) < end))
  return Math.max(...values) > 2 * before ? before * 1.1 : Infinity
}

/** The throughput below the sessions: the same seconds, a scale of its own. */
function Rate({
  sessions,
  stall,
  times,
  range,
  width,
  point,
}: {
  readonly sessions: ActiveSessionsDoc
  readonly stall: StallDoc | null
  readonly times: readonly number[]
  readonly range: Interval
  readonly width: number
  readonly point: number
}) {
  const rate = sessions.throughput
  if (!rate) return null
  const values = rate.values.map((value) => value ?? 0)
  const most = Math.max(0, ...values)
  const top = ceiling(values, times, stall)
  const drawn = values.map((value) => Math.min(value, top))
  const chart = stackedTime(times, [{ id: 'rate', values: drawn }], range, width, RATE_HEIGHT)
  const clipped = times.filter((_, at) => (values[at] ?? 0) > top)
  const shown = rate.values[point]
  return (
    <svg
      width={width}
      height={RATE_LABEL + RATE_HEIGHT}
      className="active-sessions-rate"
      aria-hidden="true"
    >
      <path d={chart.layers[0]?.path} transform={`translate(0 ${RATE_LABEL})`} />
      {clipped.map((time) => (
        <path
          key={time}
          className="active-sessions-clipped"
          d="M-3 0 0-5 3 0z"
          transform={`translate(${chart.x(time) + 3} ${RATE_LABEL})`}
        />
      ))}
      <text className="active-sessions-top" x={4} y={12}>
        {shown === undefined || shown === null
          ? `${rate.title}, up to ${formatNumber(Math.round(most))} per second${clipped.length > 0 && width > WIDE ? '; ▲ higher than drawn' : ''}`
          : `${rate.title}: ${formatNumber(Math.round(shown))} per second`}
      </text>
    </svg>
  )
}

/** Classes of a smaller share are hardly to be seen in the chart: their names step back. */
const SEEN = 0.005

/** What each colour means, with the average during the stall, or the value below the pointer. */
function Legend({
  sessions,
  point,
}: {
  readonly sessions: ActiveSessionsDoc
  readonly point: number
}) {
  const at = sessions.times[point]
  return (
    <table className="active-sessions-legend">
      <caption>
        {at ? (
          <>
            At <Time at={at} style="clock" />: <Measured value={sessions.level[point]} /> sessions
          </>
        ) : (
          <>
            <Duration value={sessions.seconds} /> of <Term of="session time" /> in this chart, by
            what each session itself waits for
          </>
        )}
      </caption>
      <tbody>
        {[...sessions.classes]
          .filter((row) => row.share > 0)
          .reverse()
          .map((row) => (
            <tr key={row.id} className={at || row.share >= SEEN ? undefined : 'faint'}>
              <th scope="row">
                <span className="active-sessions-key" style={{ background: classColour(row.id) }} />
                <Term text={CLASSES[row.id]}>{row.title}</Term>
              </th>
              <td>
                {at ? <Measured value={row.values[point]} /> : <ShareValue value={row.share} />}
              </td>
            </tr>
          ))}
      </tbody>
    </table>
  )
}

function describe(sessions: ActiveSessionsDoc): string {
  const shares = [...sessions.classes]
    .sort((a, b) => b.share - a.share)
    .slice(0, 4)
    .map((row) => `${row.title} ${Math.round(row.share * 100)}%`)
  return `Active sessions over time, at most ${Math.round(sessions.peak)}: ${shares.join(', ')}`
}
