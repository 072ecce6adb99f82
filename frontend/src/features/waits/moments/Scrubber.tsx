/**
 * All moments as bars of their waiters, a strip per kind of source: a processlist lists sessions that a
 * status dump does not, so bars of both in one strip would flicker. Click, step, play, or compare.
 */
import { useMemo } from 'react'
import { gapsBetween, type Interval } from '@/charts/range'
import { placeIn, type Stretch, stretchesOf } from '@/charts/stretches'
import { parseIso } from '@/charts/time'
import { AXIS_HEIGHT, TimeAxis } from '@/charts/TimeAxis'
import { useWidth } from '@/charts/useWidth'
import { formatDuration } from '@/format'
import { useZone } from '@/state/incident'
import { Button } from '@/ui/controls/Button'
import { cx } from '@/ui/controls/cx'
import { bySource, type Moment, mostWaiting, type Source, waitingOf } from './sources'
import { SPEEDS, type Speed } from './usePlay'

type Props = {
  readonly moments: readonly Moment[]
  /** From the first to the last sample of each capture: the time between is cut out. */
  readonly captured: readonly Interval[]
  readonly at: string | null
  /** The other moment of a difference. */
  readonly against: string | null
  /** The kind of source that steps and the playback go through. */
  readonly played: Source | null
  readonly onStep: (time: string) => void
  readonly onGo: (moment: Moment) => void
  readonly onCompare: (time: string) => void
  /** To the neighbouring moment with waiters; null where there is none. */
  readonly before: string | null
  readonly after: string | null
  readonly playing: boolean
  readonly onPlay: (on: boolean) => void
  readonly speed: Speed
  readonly onSpeed: (speed: Speed) => void
  /** "7 of 24 processlists" */
  readonly place: string
}

/** Of the only strip, and of one of several. */
const HEIGHT = 40
const LOW = 24
const COLUMN = 5
const PLURAL: Readonly<Record<Source, string>> = {
  'status dump': 'status dumps',
  processlist: 'processlists',
  'lock table': 'lock tables',
  'stack sample': 'stack samples',
}

export function Scrubber({
  moments,
  captured,
  at,
  against,
  played,
  onStep,
  onGo,
  onCompare,
  before,
  after,
  playing,
  onPlay,
  speed,
  onSpeed,
  place,
}: Props) {
  const zone = useZone()
  const [frame, width] = useWidth<HTMLDivElement>(900)
  const stretches = useMemo(
    () => stretchesOf(timesOf(moments), gapsBetween(captured), width, COLUMN),
    [moments, captured, width],
  )
  if (stretches.length === 0) return null
  const strips = bySource(moments)
  const most = mostWaiting(moments)
  const here = parseIso(at)
  const placeOf = (time: number | null) => (time === null ? null : placeIn(stretches, time))
  const hereAt = placeOf(here)
  const otherAt = placeOf(parseIso(against))
  return (
    <div
      className="scrubber"
      data-testid="wait-scrubber"
      role="group"
      aria-label="Moments with waiters"
    >
      <div className="scrubber-head">
        <Button
          size="small"
          pressed={playing}
          disabled={!playing && after === null && before === null}
          title="Play through the moments with waiters (Space)"
          onClick={() => onPlay(!playing)}
        >
          {playing ? 'Pause' : 'Play'}
        </Button>
        <label className="scrubber-speed">
          <span className="visually-hidden">Speed</span>
          <select
            className="input"
            value={speed}
            onChange={(event) => onSpeed(Number(event.target.value) as Speed)}
          >
            {SPEEDS.map((item) => (
              <option key={item} value={item}>
                {item} per second
              </option>
            ))}
          </select>
        </label>
        <Step label="Previous moment with waiters" sign="[" to={before} onGo={onStep} />
        <Step label="Next moment with waiters" sign="]" to={after} onGo={onStep} />
        <span className="muted" role="status" data-testid="wait-place">
          {place}
        </span>
        <span className="scrubber-space" />
        <span className="scrubber-hint">
          Sessions that wait at each moment; Shift-click to compare
        </span>
      </div>
      <div ref={frame} className={cx('scrubber-field', strips.length > 1 && 'named')}>
        <div className="scrubber-plot">
          {hereAt !== null && <span className="scrubber-here" style={{ left: hereAt }} />}
          {otherAt !== null && (
            <span className="scrubber-other" style={{ left: otherAt }}>
              B
            </span>
          )}
          {strips.map(([source, members]) => (
            <Strip
              key={source}
              source={source}
              bars={barsOf(members, stretches, most)}
              height={strips.length > 1 ? LOW : HEIGHT}
              isPlayed={source === played}
              here={here}
              name={strips.length > 1 ? PLURAL[source] : ''}
              onGo={onGo}
              onCompare={onCompare}
            />
          ))}
          {stretches.slice(1).map((stretch, index) => (
            <GapMark key={stretch.x} before={stretches[index]} after={stretch} />
          ))}
        </div>
        <div className="scrubber-axes" style={{ height: AXIS_HEIGHT }}>
          {stretches.map(({ x, width, range }) => (
            <div key={x} style={{ left: x }}>
              <TimeAxis range={range} width={width} zone={zone.name} />
            </div>
          ))}
        </div>
      </div>
    </div>
  )
}

/** The time between two captures, which no file shows. */
function GapMark({
  before,
  after,
}: {
  readonly before: Stretch | undefined
  readonly after: Stretch
}) {
  if (!before) return null
  const left = before.x + before.width
  const length = formatDuration((after.range[0] - before.range[1]) / 1000)
  return (
    <span
      className="scrubber-gap"
      style={{ left, width: after.x - left }}
      title={`Nothing was captured for ${length}`}
    />
  )
}

function Step({
  label,
  sign,
  to,
  onGo,
}: {
  readonly label: string
  readonly sign: string
  readonly to: string | null
  readonly onGo: (time: string) => void
}) {
  return (
    <Button
      size="small"
      variant="ghost"
      aria-label={label}
      title={`${label} (${sign})`}
      disabled={to === null}
      onClick={() => to !== null && onGo(to)}
    >
      {sign === '[' ? '‹ Previous' : 'Next ›'} <kbd>{sign}</kbd>
    </Button>
  )
}

type Bar = { x: number; waiting: number; weight: number; moment: Moment }

function Strip({
  source,
  bars,
  height,
  isPlayed,
  here,
  name,
  onGo,
  onCompare,
}: {
  readonly source: Source
  readonly bars: readonly Bar[]
  readonly height: number
  readonly isPlayed: boolean
  readonly here: number | null
  /** Empty: there is no other strip. */
  readonly name: string
  readonly onGo: (moment: Moment) => void
  readonly onCompare: (time: string) => void
}) {
  const zone = useZone()
  return (
    <div
      className={cx('scrubber-strip', isPlayed && 'played')}
      data-testid="wait-strip"
      data-source={source}
      style={{ height }}
    >
      {name && <span className="scrubber-name">{name}</span>}
      {bars.map(({ x, waiting, weight, moment }) => (
        <button
          key={moment.time}
          type="button"
          className={cx(
            'scrubber-bar',
            waiting > 0 && 'waiting',
            isPlayed && parseIso(moment.time) === here && 'here',
          )}
          style={{ left: x, height: 2 + weight * (height - 4) }}
          title={`${zone.format(moment.time)}, ${source}: ${moment.waiters} wait for latches, locks or the commit${moment.lock_waits ? `, ${moment.lock_waits} for row or table locks` : ''}`}
          aria-label={`${zone.format(moment.time)}, ${source}, ${waiting} waiting`}
          tabIndex={-1}
          onClick={(event) => (event.shiftKey ? onCompare(moment.time) : onGo(moment))}
        />
      ))}
    </div>
  )
}

const timesOf = (moments: readonly Moment[]) =>
  moments.map(({ time }) => parseIso(time)).filter((time) => time !== null)

/** One bar per few pixels, the worst moment of each. */
function barsOf(
  moments: readonly Moment[],
  stretches: readonly Stretch[],
  most: number,
): readonly Bar[] {
  const worst = new Map<number, Bar>()
  for (const moment of moments) {
    const x = placeIn(stretches, parseIso(moment.time) ?? Number.NaN)
    if (x === null) continue
    const waiting = waitingOf(moment)
    const column = Math.floor(x / COLUMN)
    const before = worst.get(column)
    if (!before || waiting > before.waiting) {
      worst.set(column, { x, waiting, weight: most ? waiting / most : 0, moment })
    }
  }
  return [...worst.values()]
}
