/** Round instants on an axis of time, and their labels. Imports d3-time alone, for the viewer of report files. */
import { utcTicks } from 'd3-time'
import { shiftedToZone } from '@/format'
import { scaleOf } from './laneBox'
import type { Interval } from './range'

const DAY_MS = 86_400_000

/** A label in UTC; `parts` are those of Intl.DateTimeFormat. */
const labelOf = (parts: Intl.DateTimeFormatOptions) => {
  const format = new Intl.DateTimeFormat('en-US', { ...parts, timeZone: 'UTC', hourCycle: 'h23' })
  return (at: Date) => format.format(at)
}
const MINUTES = labelOf({ hour: '2-digit', minute: '2-digit' })
const SECONDS = labelOf({ hour: '2-digit', minute: '2-digit', second: '2-digit' })
const MILLISECONDS = labelOf({
  ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 },
})
const DAYS = labelOf({ month: 'short', day: '2-digit' })
const MONTHS = labelOf({ month: 'short' })
const YEARS = labelOf({ year: 'numeric' })

export interface Tick {
  /** The instant of the tick, on the clock of the range. */
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
export function timeTicks(range: Interval, width: number): Tick[] {
  const [start, end] = range
  const span = end - start
  const long = span > 2 * DAY_MS
  const fine = span > 3 * 3_600_000 ? MINUTES : span > 5_000 ? SECONDS : MILLISECONDS
  const label = long ? longLabel : fine
  const below = (at: Date, index: number): string | null => {
    if (long) return index === 0 && !isYear(at) ? YEARS(at) : null
    return index === 0 || isDay(at) ? DAYS(at) : null
  }
  const x = scaleOf(range, { x: 0, w: width })
  const count = Math.max(2, Math.floor(width / 110))
  const ticks = utcTicks(new Date(start), new Date(end), count)
  const [first, second] = ticks
  // A label at the edge is set inwards; where ticks are near each other it would touch the next one.
  const room = fine === MILLISECONDS ? 126 : 84
  const crowded = !!first && !!second && x(second.getTime()) - x(first.getTime()) < room
  const atEdge = (px: number) => px < 24 || px > width - 24
  return ticks.map((at, index) => {
    const px = x(at.getTime())
    const text = crowded && atEdge(px) ? '' : label(at)
    return { at: at.getTime(), x: px, label: text, date: below(at, index) }
  })
}

/** Ticks that are round in a zone: the range is shifted to it before they are chosen, `at` with it. */
export function zonedTicks(range: Interval, width: number, zone: string): Tick[] {
  return timeTicks(zonedRange(range, zone), width)
}

/** The range as the clock of the zone shows it, in the fields of UTC. */
export function zonedRange([start, end]: Interval, zone: string): Interval {
  const there = shiftedToZone(start, zone).getTime()
  return [there, there + (end - start)]
}

const isDay = (at: Date) => at.getTime() % DAY_MS === 0
const isMonth = (at: Date) => isDay(at) && at.getUTCDate() === 1
const isYear = (at: Date) => isMonth(at) && at.getUTCMonth() === 0

/** What begins at a tick of several days, months or years: no two ticks say the same. */
const longLabel = (at: Date) =>
  (isYear(at) ? YEARS : isMonth(at) ? MONTHS : isDay(at) ? DAYS : MINUTES)(at)
