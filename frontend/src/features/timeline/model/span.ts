/** The marked span in the address: "2026-11-20T22:17:05.000Z/2026-11-20T22:18:25.000Z". */
import type { Interval } from '@/charts/range'
import { iso, parseIso } from '@/charts/time'

export function readSpan(written: string): Interval | null {
  const [from, to] = written.split('/').map(parseIso)
  return from != null && to != null && to > from ? [from, to] : null
}

export const writeSpan = ([from, to]: Interval) => `${iso(from)}/${iso(to)}`
