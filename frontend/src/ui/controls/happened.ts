/** Times as people know them: "2026-11-03", "about 2026-11-03 18:42", or exactly. */
import { formatTime, zoneOffsetMinutes } from '@/format'

export type Precision = 'exact' | 'about' | 'day'
export type Given = { readonly at: string | null; readonly precision: Precision }

/** What an empty field means: now, as the server records it. */
export const NOW: Given = { at: null, precision: 'exact' }

const TYPED =
  /^(about|around|approx\.?|ca\.?|~|≈)?\s*(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ]+(\d{1,2}):(\d{2})(?::(\d{2}))?\s*(Z|UTC|[+-]\d{2}:?\d{2})?)?$/i

/** Read a typed time in this zone; null when it is none. A date alone is a day. */
export function readHappened(text: string, zone: string): Given | null {
  const typed = text.trim()
  if (typed === '') return NOW
  const match = TYPED.exec(typed)
  if (!match) return null
  const [, about, year, month, day, hour, minute, second, offset] = match
  const wall = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour ?? 0),
    Number(minute ?? 0),
    Number(second ?? 0),
  )
  const date = new Date(wall)
  const isReal =
    date.getUTCMonth() === Number(month) - 1 &&
    date.getUTCDate() === Number(day) &&
    Number(hour ?? 0) < 24 &&
    Number(minute ?? 0) < 60
  if (!isReal) return null
  if (hour === undefined) return { at: date.toISOString(), precision: 'day' }
  const place = offset ? (/^(z|utc)$/i.test(offset) ? 'UTC' : offset) : zone
  const first = wall - zoneOffsetMinutes(place, date) * 60_000
  // the offset at that moment, which differs from the first guess near a change of the clocks
  const at = wall - zoneOffsetMinutes(place, new Date(first)) * 60_000
  return { at: new Date(at).toISOString(), precision: about ? 'about' : 'exact' }
}

/** Format a time as precisely as it is known; a day is a day of UTC in every zone. */
export function happenedText(at: string, precision: Precision, zone: string): string {
  if (precision === 'day') return formatTime(at, 'UTC', 'date')
  const text = formatTime(at, zone, 'seconds')
  return precision === 'about' ? `about ${text.replace(/:00$/, '')}` : text
}

/** The text of a field that holds a given time. */
export const typedHappened = (at: string | null, precision: Precision, zone: string) =>
  at === null ? '' : happenedText(at, precision, zone)
