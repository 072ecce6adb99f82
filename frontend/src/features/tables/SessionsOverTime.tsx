/** The sessions of every processlist, stacked by group over time; a bar is one processlist. */
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useMemo } from 'react'
import type { ProcesslistMoment, SessionsColumn, SessionsOverTime as Sessions } from '@/api/schema'
import { TimeAxis } from '@/charts/TimeAxis'
import { useWidth } from '@/charts/useWidth'
import { formatCount, formatNumber } from '@/format'
import { useIncidentId, useZone } from '@/state/incident'
import { Button } from '@/ui/controls/Button'
import { cx } from '@/ui/controls/cx'
import { Skeleton } from '@/ui/display/States'
import { Duration, Time } from '@/ui/display/Value'
import { groupKey, groupName } from './group'
import { type SessionsSplit, sessionsOverTimeQuery } from './queries'
import { findMoment, layoutStretches, momentId, placeOf, type Stretch } from './scrub'

const HEIGHT = 104
/** Room above the highest bar, for its number. */
const HEAD = 16
const AXIS_HEIGHT = 34
/** A narrower stretch has no axis of its own. */
const LEAST_AXIS = 120
const OTHER = 'var(--cat-other)'

type Props = {
  readonly split: SessionsSplit
  readonly moments: readonly ProcesslistMoment[]
  readonly moment: ProcesslistMoment
  readonly onGo: (moment: ProcesslistMoment | undefined) => void
  readonly before: ProcesslistMoment | undefined
  readonly after: ProcesslistMoment | undefined
  /** The address of the chosen group; empty for all. */
  readonly group: string
  readonly onGroup: (group: string) => void
}

export function SessionsOverTime({ split, moments, moment, onGo, before, after, ...rest }: Props) {
  const counted = useQuery(sessionsOverTimeQuery(useIncidentId(), split))
  const onKey = (event: KeyboardEvent) => {
    const next = { ArrowLeft: before, ArrowRight: after }[event.key]
    if (!next || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    onGo(next)
  }
  return (
    <div className="scrub" role="group" aria-label="Moments of processlists" onKeyDown={onKey}>
      <div className="scrub-head">
        <span>
          <strong data-testid="processlist-moment">
            {moment.time ? <Time at={moment.time} zone /> : 'Time unknown'}
          </strong>{' '}
          <span className="muted">
            {moment.active} of {formatCount(moment.sessions, 'session')} active
          </span>
        </span>
        <span className="tables-space" />
        <span className="faint">
          {counted.data && counted.data.total > counted.data.columns.length
            ? `the fullest of each stretch of ${formatCount(counted.data.total, 'processlist')}`
            : formatCount(moments.length, 'processlist')}
        </span>
        <Button
          size="small"
          variant="ghost"
          disabled={!before}
          onClick={() => onGo(before)}
          title="Previous moment ([)"
        >
          ‹ Previous
        </Button>
        <Button
          size="small"
          variant="ghost"
          disabled={!after}
          onClick={() => onGo(after)}
          title="Next moment (])"
        >
          Next ›
        </Button>
      </div>
      {counted.data ? (
        <Chart
          sessions={counted.data}
          moment={moment}
          onGo={(column) =>
            onGo(
              findMoment(moments, momentId(column)) ??
                findMoment(moments, column.time ?? '') ??
                undefined,
            )
          }
          {...rest}
        />
      ) : (
        <Skeleton height={HEIGHT + AXIS_HEIGHT} />
      )}
    </div>
  )
}

function Chart({
  sessions,
  moment,
  onGo,
  group,
  onGroup,
}: {
  readonly sessions: Sessions
  readonly moment: ProcesslistMoment
  readonly onGo: (column: SessionsColumn) => void
  readonly group: string
  readonly onGroup: (group: string) => void
}) {
  const zone = useZone()
  const [frame, width] = useWidth<HTMLDivElement>(900)
  const stretches = useMemo(
    () => layoutStretches(sessions.columns, width),
    [sessions.columns, width],
  )
  const totals = sessions.columns.map(({ counts, other }) => sum(counts) + other)
  const top = Math.max(1, ...totals)
  const here = placeOf(stretches, moment)
  const chosen = sessions.groups.findIndex((item) => groupKey(item) === group)
  return (
    <div className="scrub-chart">
      <div ref={frame} className="scrub-frame">
        <div className="scrub-axes">
          {stretches.map((stretch) => (
            <div key={stretch.x} style={{ left: stretch.x, width: stretch.width }}>
              {stretch.range && stretch.width >= LEAST_AXIS && (
                <TimeAxis
                  range={stretch.range}
                  width={stretch.width}
                  zone={zone.name}
                  height={AXIS_HEIGHT}
                />
              )}
            </div>
          ))}
        </div>
        <div className="scrub-plot">
          <svg width={width} height={HEIGHT} role="img" aria-label={describe(sessions, top)}>
            {stretches.map((stretch) => (
              <Bars key={stretch.x} stretch={stretch} top={top} chosen={chosen} />
            ))}
            {here !== null && (
              <line className="scrub-cursor" x1={here} x2={here} y1={0} y2={HEIGHT} />
            )}
            <text className="scrub-top" x={4} y={12}>
              {formatCount(top, 'session')} at most
            </text>
          </svg>
          <Hits stretches={stretches} here={momentId(moment)} onGo={onGo} />
          {stretches.slice(1).map((stretch, index) => (
            <Gap key={stretch.x} before={stretches[index]} after={stretch} />
          ))}
        </div>
      </div>
      <Legend sessions={sessions} group={group} onGroup={onGroup} />
    </div>
  )
}

function Bars({
  stretch,
  top,
  chosen,
}: {
  readonly stretch: Stretch
  readonly top: number
  readonly chosen: number
}) {
  return (
    <g>
      <line
        className="scrub-base"
        x1={stretch.x}
        x2={stretch.x + stretch.width}
        y1={HEIGHT - 0.5}
        y2={HEIGHT - 0.5}
      />
      {stretch.bars.map(({ x, width, column }) => {
        let floor = HEIGHT
        return [...column.counts, column.other].map((count, index) => {
          if (count === 0) return null
          const tall = (count / top) * (HEIGHT - HEAD)
          floor -= tall
          return (
            <rect
              key={`${momentId(column)} ${index}`}
              className={cx(chosen >= 0 && chosen !== index && 'scrub-dim')}
              {...{ x, y: floor, width, height: tall }}
              fill={index < column.counts.length ? groupColour(index) : OTHER}
            />
          )
        })
      })}
    </g>
  )
}

/** A button over each bar, as tall as the plot: a processlist with one session is found as well. */
function Hits({
  stretches,
  here,
  onGo,
}: {
  readonly stretches: readonly Stretch[]
  readonly here: string
  readonly onGo: (column: SessionsColumn) => void
}) {
  const zone = useZone()
  const bars = stretches.flatMap((stretch) => stretch.bars)
  const reached = bars.some(({ column }) => momentId(column) === here)
  return bars.map(({ x, width, column }, index) => {
    const id = momentId(column)
    const time = column.time ? zone.format(column.time) : 'time unknown'
    return (
      <button
        key={id}
        type="button"
        className="scrub-bar"
        style={{ left: x, width: width + 1 }}
        tabIndex={id === here || (!reached && index === 0) ? 0 : -1}
        aria-pressed={id === here}
        aria-label={`${time}, ${column.active} active`}
        title={`${time}: ${column.active} of ${column.sessions} active`}
        onClick={() => onGo(column)}
      />
    )
  })
}

function Gap({ before, after }: { readonly before: Stretch | undefined; readonly after: Stretch }) {
  const from = before?.bars.at(-1)?.column.time
  const to = after.bars[0]?.column.time
  if (!before || !from || !to) return null
  const left = before.x + before.width
  return (
    <div className="scrub-gap" style={{ left, width: after.x - left }}>
      <span>
        No processlist for <Duration value={(Date.parse(to) - Date.parse(from)) / 1000} />
      </span>
    </div>
  )
}

function Legend({
  sessions,
  group,
  onGroup,
}: {
  readonly sessions: Sessions
  readonly group: string
  readonly onGroup: (group: string) => void
}) {
  const others = sessions.groups_total - sessions.groups.length
  return (
    <ul className="scrub-legend" aria-label="Groups by colour, with their most sessions at once">
      <li className="scrub-head" aria-hidden="true">
        most at once
      </li>
      {sessions.groups.map((item, index) => (
        <li key={groupKey(item)}>
          <button
            type="button"
            aria-pressed={groupKey(item) === group}
            title={groupName(item, sessions.by)}
            onClick={() => onGroup(groupKey(item))}
          >
            <i style={{ background: groupColour(index) }} />
            <span className={cx('ellipsis', item.key !== null && 'mono')}>
              {groupName(item, sessions.by)}
            </span>
            <b>{formatNumber(item.peak, 0)}</b>
          </button>
        </li>
      ))}
      {others > 0 && (
        <li className="scrub-others">
          <i style={{ background: OTHER }} />
          {formatCount(others, 'other group')}
        </li>
      )}
    </ul>
  )
}

const groupColour = (index: number) => `var(--cat-${index + 1})`
const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0)

function describe({ groups, by, columns }: Sessions, top: number): string {
  const named = groups.slice(0, 3).map((item) => `${groupName(item, by)}, ${item.peak} at most`)
  return `${formatCount(top, 'session')} at most in ${formatCount(columns.length, 'processlist')}: ${named.join('; ')}`
}
