/** Time on an axis: UTC scales, ticks and labels. Times are epoch milliseconds throughout. */
import { scaleUtc, type ScaleTime } from 'd3-scale'
import { utcFormat } from 'd3-time-format'

/** Half-open [start, end), epoch ms. */
export type Interval = readonly [number, number]
export type TimeScale = ScaleTime<number, number>

export function timeScale(range: Interval, width: number): TimeScale {
  return scaleUtc([new Date(range[0]), new Date(range[1])], [0, width])
}

const SECONDS = utcFormat('%H:%M:%S')
const MINUTES = utcFormat('%H:%M')
const DAYS = utcFormat('%b %d')
const MONTHS = utcFormat('%b')
const YEARS = utcFormat('%Y')
const DAY_MS = 86_400_000
const MILLISECONDS = utcFormat('%H:%M:%S.%L')

export interface Tick {
  /** The instant that it stands for, on the scale's clock. */
  at: number
  x: number
  label: string
  /** A tick that starts a day carries its date beside its label. */
  date: string | null
}

/**
 * Round ticks, about one per 110 pixels. The first tick and each midnight also carry the date; over
 * more than two days the labels are dates themselves, and the first tick carries the year.
 */
export function timeTicks(scale: TimeScale, width: number): Tick[] {
  const [start, end] = scale.domain()
  const span = Number(end) - Number(start)
  const long = span > 2 * DAY_MS
  const fine = span > 3 * 3_600_000 ? MINUTES : span > 5_000 ? SECONDS : MILLISECONDS
  const label = long ? longLabel : fine
  const below = (at: Date, index: number): string | null => {
    if (long) return index === 0 && !isYear(at) ? YEARS(at) : null
    return index === 0 || isDay(at) ? DAYS(at) : null
  }
  const ticks = scale.ticks(Math.max(2, Math.floor(width / 110)))
  const [first, second] = ticks
  // A label at the edge is set inwards; where ticks are near each other it would touch the next one.
  const crowded = !!first && !!second && scale(second) - scale(first) < 84
  const atEdge = (x: number) => x < 24 || x > width - 24
  return ticks.map((at, index) => ({
    at: at.getTime(),
    x: scale(at),
    label: crowded && atEdge(scale(at)) ? '' : label(at),
    date: below(at, index),
  }))
}

const isDay = (at: Date) => at.getTime() % DAY_MS === 0
const isMonth = (at: Date) => isDay(at) && at.getUTCDate() === 1
const isYear = (at: Date) => isMonth(at) && at.getUTCMonth() === 0

/** What begins at a tick of several days, months or years: no two ticks say the same. */
const longLabel = (at: Date) =>
  (isYear(at) ? YEARS : isMonth(at) ? MONTHS : isDay(at) ? DAYS : MINUTES)(at)

/** A range is never zoomed narrower than this. */
export const MIN_SPAN_MS = 1000

/** Zoom by a factor around an instant, kept inside `whole` and never narrower than `least` ms. */
export function zoomed(
  range: Interval,
  factor: number,
  around: number,
  whole: Interval,
  least = MIN_SPAN_MS,
): Interval {
  const span = Math.min(
    Math.max(least, (range[1] - range[0]) * factor),
    Math.max(least, whole[1] - whole[0]),
  )
  const share = (around - range[0]) / (range[1] - range[0] || 1)
  return clamped([around - share * span, around + (1 - share) * span], whole)
}

/** Shift by a share of the visible span, kept inside `whole`. */
export function panned(range: Interval, share: number, whole: Interval): Interval {
  const by = (range[1] - range[0]) * share
  return clamped([range[0] + by, range[1] + by], whole)
}

/** The same span moved inside `whole`; `whole` itself when it is wider. */
export function clamped(range: Interval, whole: Interval): Interval {
  const span = range[1] - range[0]
  if (span >= whole[1] - whole[0]) return whole
  const start = Math.min(Math.max(range[0], whole[0]), whole[1] - span)
  return [start, start + span]
}

export function iso(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z')
}

export function parseIso(text: string | null | undefined): number | null {
  const ms = text ? Date.parse(text) : NaN
  return Number.isNaN(ms) ? null : ms
}
