/**
 * An axis of time with its gaps cut out: the moments of each stretch share the width, the time between
 * two stretches has a mark of its own. Times are epoch ms.
 */
import type { Interval } from './range'

/** Width of the mark of a gap. */
export const GAP_PX = 18
const LEAST_PX = 28

type Place = { readonly x: number; readonly width: number }
export type Stretch = Place & { readonly range: Interval }

/** Share the width between stretches of so many moments each. */
export function shareWidth(counts: readonly number[], width: number): Place[] {
  const all = counts.reduce((sum, count) => sum + count, 0)
  const room = Math.max(0, width - GAP_PX * (counts.length - 1))
  const shares = counts.map((count) => Math.max(LEAST_PX, (count / all) * room))
  const scale = room / shares.reduce((sum, share) => sum + share, 0)
  let x = 0
  return shares.map((share) => {
    const place = { x, width: share * scale }
    x += place.width + GAP_PX
    return place
  })
}

/** Cut times in order at gaps in order; the last `tail` px of a stretch are for the bar of its last moment. */
export function stretchesOf(
  times: readonly number[],
  gaps: readonly Interval[],
  width: number,
  tail: number,
): Stretch[] {
  const groups: number[][] = []
  let next = 0
  for (const time of times) {
    const before = next
    while ((gaps[next]?.[1] ?? Infinity) <= time) next++
    const group = groups.at(-1)
    if (group && next === before) group.push(time)
    else groups.push([time])
  }
  const places = shareWidth(
    groups.map((group) => group.length),
    width,
  )
  return groups.map((group, index) => {
    const place = places[index] ?? { x: 0, width }
    const first = group[0] ?? 0
    const span = Math.max((group.at(-1) ?? first) - first, 1000)
    const end = first + (span * place.width) / Math.max(1, place.width - tail)
    return { ...place, range: [first, end] }
  })
}

/** The pixel of a time; null in a gap and outside. */
export function placeIn(stretches: readonly Stretch[], time: number): number | null {
  const around = stretches.find(({ range }) => range[0] <= time && time <= range[1])
  if (!around) return null
  const [first, end] = around.range
  return around.x + ((time - first) / (end - first)) * around.width
}
