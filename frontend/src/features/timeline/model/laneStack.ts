/** Where lanes and their items are: the stack of lanes, rows inside a lane, the item at an instant. */
import type { Item, Lane, Placed } from './laneTypes'

/** Lanes with where each begins, and the height of all. */
export function stack(lanes: readonly Lane[]): { placed: Placed[]; height: number } {
  let y = 0
  const placed = lanes.map((lane) => {
    const here = { lane, y }
    y += lane.height
    return here
  })
  return { placed, height: y }
}

/** The lanes that touch a stretch of the stack, by halving: not one look per lane. */
export function visible(placed: readonly Placed[], top: number, bottom: number): Placed[] {
  let low = 0
  let high = placed.length
  while (low < high) {
    const middle = (low + high) >> 1
    const item = placed[middle]
    if (item && item.y + item.lane.height <= top) low = middle + 1
    else high = middle
  }
  let end = low
  while (end < placed.length && (placed[end]?.y ?? Infinity) < bottom) end++
  return placed.slice(low, end)
}

/** The first free row for each item in time order; those that find none share the last. */
export function packed<T extends { start: number; end: number }>(
  items: readonly T[],
  most: number,
  gap: number,
): (T & { row: number; until: number })[] {
  const ends: number[] = []
  const rows = [...items]
    .sort((a, b) => a.start - b.start)
    .map((item) => {
      let row = ends.findIndex((end) => end + gap <= item.start)
      if (row < 0) row = ends.length < most ? ends.length : most - 1
      ends[row] = Math.max(ends[row] ?? -Infinity, item.end)
      return { ...item, row, until: Infinity }
    })
  const next = new Map<number, number>()
  for (const item of rows.toReversed()) {
    item.until = next.get(item.row) ?? Infinity
    next.set(item.row, item.start)
  }
  return rows
}

/** The item of a lane at or nearest to an instant, within a tolerance in ms. */
export function itemAt(items: readonly Item[], at: number, row: number | null, tolerance: number) {
  let best: Item | null = null
  let distance = tolerance
  for (const item of items) {
    if (row !== null && item.row !== row) continue
    const off = at < item.start ? item.start - at : at > item.end ? at - item.end : 0
    if (off < distance || (off === 0 && best && item.end - item.start < best.end - best.start)) {
      best = item
      distance = off
    }
  }
  return best
}

/** The next (or previous) item of a lane after an instant. */
export function nextItem(items: readonly Item[], at: number, forward: boolean): Item | null {
  let best: Item | null = null
  for (const item of items) {
    if (forward ? item.start <= at + 0.5 : item.start >= at - 0.5) continue
    if (!best || (forward ? item.start < best.start : item.start > best.start)) best = item
  }
  return best
}
