/** The moments by kind of source: what was captured, and which kind a playback goes through. */
import { groups, max } from 'd3-array'
import type { components } from '@/api/schema'

export type Moment = components['schemas']['WaitMoment']
export type Source = Moment['source']

/** Threads that wait at a moment. */
export const waitingOf = (moment: Moment): number => moment.waiters + moment.lock_waits

/** The kinds of source, the one with most moments with waiters first: each has a strip of its own. */
export function bySource(moments: readonly Moment[]): (readonly [Source, Moment[]])[] {
  const busy = (members: readonly Moment[]) =>
    members.filter((moment) => waitingOf(moment) > 0).length
  return groups([...moments], (moment) => moment.source).sort(
    (a, b) => busy(b[1]) - busy(a[1]) || b[1].length - a[1].length,
  )
}

/** The kind that is played: the chosen one, else that of the shown moment, else the busiest. */
export function sourceOf(
  moments: readonly Moment[],
  chosen: Source | '',
  shownAt: string | null,
): Source | null {
  const kinds = bySource(moments)
  if (chosen && kinds.some(([source]) => source === chosen)) return chosen
  const [busiest] = kinds
  const here = Date.parse(shownAt ?? '')
  const shown = kinds.find(([, members]) =>
    members.some((moment) => waitingOf(moment) > 0 && Date.parse(moment.time) === here),
  )
  // A dump now and then among many processlists is no film.
  const isRich = shown !== undefined && 2 * shown[1].length >= (busiest?.[1].length ?? 0)
  return (isRich ? shown : busiest)?.[0] ?? null
}

/** The next moment with waiters before or after an instant (ISO 8601, UTC); null at the end. */
export function nextMoment(
  times: readonly string[],
  at: string | null,
  way: 1 | -1,
): string | null {
  const here = at === null ? Number.NaN : Date.parse(at)
  if (Number.isNaN(here)) return (way === 1 ? times[0] : times.at(-1)) ?? null
  const name =
    way === 1
      ? times.find((time) => Date.parse(time) > here)
      : times.findLast((time) => Date.parse(time) < here)
  return name ?? null
}

/** The most that wait at one moment of any source: the scale of all strips. */
export const mostWaiting = (moments: readonly Moment[]): number => max(moments, waitingOf) ?? 0
