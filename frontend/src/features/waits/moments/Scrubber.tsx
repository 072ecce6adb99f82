/**
 * All moments as bars of their waiters, a strip per kind of source: a processlist lists sessions that a
 * status dump does not, so bars of both in one strip would flicker. Click, step, play, or compare.
 */
import type { Interval } from '@/charts/range'
import { parseIso, timeScale } from '@/charts/time'
import { TimeAxis } from '@/charts/TimeAxis'
import { useWidth } from '@/charts/useWidth'
import { useZone } from '@/state/incident'
import { Button } from '@/ui/controls/Button'
import { cx } from '@/ui/controls/cx'
import { bySource, type Moment, mostWaiting, type Source, waitingOf } from './sources'
import { SPEEDS, type Speed } from './usePlay'

type Props = {
  readonly moments: readonly Moment[]
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
  const range = rangeOf(moments)
  if (!range) return null
  const strips = bySource(moments)
  const most = mostWaiting(moments)
  const x = timeScale(range, width)
  const here = parseIso(at)
  const other = parseIso(against)
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
          {here !== null && <span className="scrubber-here" style={{ left: x(here) }} />}
          {other !== null && (
            <span className="scrubber-other" style={{ left: x(other) }}>
              B
            </span>
          )}
          {strips.map(([source, members]) => (
            <Strip
              key={source}
              source={source}
              bars={barsOf(members, range, width, most)}
              height={strips.length > 1 ? LOW : HEIGHT}
              isPlayed={source === played}
              here={here}
              name={strips.length > 1 ? PLURAL[source] : ''}
              onGo={onGo}
              onCompare={onCompare}
            />
          ))}
        </div>
        <TimeAxis range={range} width={width} zone={zone.name} />
      </div>
    </div>
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

/** From the first to the last moment; null without placed moments. */
function rangeOf(moments: readonly Moment[]): Interval | null {
  const times = moments.map((moment) => parseIso(moment.time)).filter((time) => time !== null)
  const first = times[0]
  const last = times.at(-1)
  if (first === undefined || last === undefined) return null
  return [first, Math.max(last, first + 1000)]
}

/** One bar per few pixels, the worst moment of each. */
function barsOf(
  moments: readonly Moment[],
  range: Interval,
  width: number,
  most: number,
): readonly Bar[] {
  const x = timeScale(range, width - COLUMN)
  const worst = new Map<number, Bar>()
  for (const moment of moments) {
    const px = x(parseIso(moment.time) ?? range[0])
    const waiting = waitingOf(moment)
    const column = Math.floor(px / COLUMN)
    const before = worst.get(column)
    if (!before || waiting > before.waiting) {
      worst.set(column, { x: px, waiting, weight: most ? waiting / most : 0, moment })
    }
  }
  return [...worst.values()]
}
