/** Time on an axis: UTC scales, ticks and labels. Times are epoch milliseconds throughout. */
import { scaleUtc, type ScaleTime } from 'd3-scale'
import { utcFormat } from 'd3-time-format'
import type { Interval } from './range'

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
  /** The instant of the tick, on the scale's clock. */
  at: number
  x: number
  label: string
  /** A tick that starts a day carries its date next to its label. */
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

export function iso(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z')
}

export function parseIso(text: string | null | undefined): number | null {
  const ms = text ? Date.parse(text) : NaN
  return Number.isNaN(ms) ? null : ms
}
