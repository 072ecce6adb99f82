/** All moments as bars of their waiters: click, step, play, or choose one to compare with. */
import { max } from 'd3-array'
import type { components } from '@/api/schema'
import type { Interval } from '@/charts/range'
import { parseIso, timeScale } from '@/charts/time'
import { TimeAxis } from '@/charts/TimeAxis'
import { useWidth } from '@/charts/useWidth'
import { useZone } from '@/state/incident'
import { Button } from '@/ui/controls/Button'
import { cx } from '@/ui/controls/cx'
import { SPEEDS, type Speed } from './usePlay'

type Moment = components['schemas']['WaitMoment']
type Props = {
  readonly moments: readonly Moment[]
  readonly at: string | null
  /** The other moment of a difference. */
  readonly against: string | null
  readonly onGo: (time: string) => void
  readonly onCompare: (time: string) => void
  /** To the neighbouring moment with waiters; null where there is none. */
  readonly before: string | null
  readonly after: string | null
  readonly playing: boolean
  readonly onPlay: (on: boolean) => void
  readonly speed: Speed
  readonly onSpeed: (speed: Speed) => void
  /** "7 of 24" */
  readonly place: string
}

const HEIGHT = 44
const COLUMN = 5

export function Scrubber({
  moments,
  at,
  against,
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
  const columns = layoutMoments(moments, width)
  if (!columns) return null
  const { bars, range } = columns
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
        <Step label="Previous moment with waiters" sign="[" to={before} onGo={onGo} />
        <Step label="Next moment with waiters" sign="]" to={after} onGo={onGo} />
        <span className="muted" role="status" data-testid="wait-place">
          {place}
        </span>
        <span className="scrubber-space" />
        <span className="scrubber-hint">Waiters at each moment; Shift+click compares with it</span>
      </div>
      <div ref={frame} className="scrubber-plot" style={{ height: HEIGHT }}>
        {here !== null && <span className="scrubber-here" style={{ left: x(here) }} />}
        {other !== null && (
          <span className="scrubber-other" style={{ left: x(other) }}>
            B
          </span>
        )}
        {bars.map((bar) => (
          <button
            key={bar.moment.time}
            type="button"
            className={cx(
              'scrubber-bar',
              bar.waiting > 0 && 'waiting',
              parseIso(bar.moment.time) === here && 'here',
            )}
            style={{ left: bar.x, height: 3 + bar.weight * (HEIGHT - 6) }}
            title={`${zone.format(bar.moment.time)}: ${bar.moment.waiters} wait for latches or the commit, ${bar.moment.lock_waits} for locks`}
            aria-label={`${zone.format(bar.moment.time)}, ${bar.waiting} waiting`}
            tabIndex={-1}
            onClick={(event) =>
              event.shiftKey ? onCompare(bar.moment.time) : onGo(bar.moment.time)
            }
          />
        ))}
      </div>
      <TimeAxis range={range} width={width} zone={zone.name} height={30} />
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

/** One bar per few pixels, the worst moment of each; null without placed moments. */
function layoutMoments(
  moments: readonly Moment[],
  width: number,
): { bars: Bar[]; range: Interval } | null {
  const times = moments.map((m) => parseIso(m.time)).filter((t) => t !== null)
  const first = times[0]
  const last = times.at(-1)
  if (first === undefined || last === undefined) return null
  const range: Interval = [first, Math.max(last, first + 1000)]
  const x = timeScale(range, width - COLUMN)
  const most = max(moments, (m) => m.waiters + m.lock_waits) ?? 0
  const worst = new Map<number, Bar>()
  for (const moment of moments) {
    const px = x(parseIso(moment.time) ?? first)
    const waiting = moment.waiters + moment.lock_waits
    const column = Math.floor(px / COLUMN)
    const before = worst.get(column)
    if (!before || waiting > before.waiting) {
      worst.set(column, { x: px, waiting, weight: most ? waiting / most : 0, moment })
    }
  }
  return { bars: [...worst.values()], range }
}
