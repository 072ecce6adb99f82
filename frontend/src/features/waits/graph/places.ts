/**
 * Places that last through a playback: the column and the top of each box, by key. A box that stays
 * never moves, and one that returns goes back to where it was unless another has taken the place.
 * Pure; linear in the boxes, but for the sorts.
 */

/** How many moments a place is kept for a box that is gone. */
const KEPT_MOMENTS = 3
/** Kept places may make a column this much higher. */
const LOOSE = 1.5

/** A box returns to a column that is at most so many to the right of its depth. */
const SPARE = 2

type Place = {
  readonly column: number
  readonly top: number
  readonly height: number
  /** Moments since the box was shown; 0: it is shown. */
  readonly gone: number
}
export type Places = ReadonlyMap<string, Place>

type Box = { readonly key: string; y: number; height: number }

/** The places after a moment: those of its boxes, and of boxes that left not long ago. */
export function remember(
  before: Places | null,
  columns: readonly (readonly Box[])[],
): Map<string, Place> {
  const places = new Map<string, Place>()
  for (const [column, boxes] of columns.entries())
    for (const { key, y, height } of boxes) places.set(key, { column, top: y, height, gone: 0 })
  for (const [key, place] of before ?? [])
    if (!places.has(key) && place.gone < KEPT_MOMENTS)
      places.set(key, { ...place, gone: place.gone + 1 })
  return places
}

/**
 * The column of each node, by id. One with a place keeps its column; another comes to the right of all
 * that it waits for and to the left of what waits for it, as far as those leave it room.
 */
export function columnsOf(
  levels: readonly (readonly string[])[],
  {
    ahead,
    behind,
    keyOf,
    places,
  }: {
    readonly ahead: ReadonlyMap<string, readonly string[]>
    readonly behind: ReadonlyMap<string, readonly string[]>
    readonly keyOf: (id: string) => string
    readonly places: Places
  },
): Map<string, number> {
  const stays = (id: string) => {
    const place = places.get(keyOf(id))
    return place?.gone === 0 ? [place.column] : []
  }
  const columns = new Map(
    levels.flat().flatMap((id) => stays(id).map((column) => [id, column] as const)),
  )
  for (const [depth, level] of levels.entries()) {
    const entering = level
      .filter((id) => !columns.has(id))
      .map((id) => {
        const blockers = (ahead.get(id) ?? []).flatMap((other) => columns.get(other) ?? [])
        const waiters = (behind.get(id) ?? []).flatMap(stays)
        const least = blockers.length > 0 ? Math.max(...blockers) + 1 : 0
        const most = waiters.length > 0 ? Math.max(0, Math.min(...waiters) - 1) : Infinity
        const was = places.get(keyOf(id))?.column ?? depth
        const wanted = was - depth > SPARE ? depth : was
        return [id, Math.max(least, Math.min(wanted, most))] as const
      })
    // After the whole level: the nodes of a circle share it.
    for (const [id, column] of entering) columns.set(id, column)
  }
  return columns
}

type Column<T> = {
  readonly column: number
  /** Where it begins, and the room between two boxes. */
  readonly top: number
  readonly gap: number
  readonly places: Places | null
  /** Makes a box fit into this height. */
  readonly fit: (box: T, height: number) => void
}

/**
 * Boxes below each other, from top to bottom: those that stay, those that return to a free place, and
 * the others in their order, in the holes and then below.
 */
export function stack<T extends Box>(boxes: readonly T[], at: Column<T>): T[] {
  const { column, top, gap, places, fit } = at
  const placeOf = (box: T) => {
    const place = places?.get(box.key)
    return place?.column === column ? place : undefined
  }
  const staying = boxes.filter((box) => placeOf(box)?.gone === 0).sort(byPlace(placeOf))
  for (const [index, box] of staying.entries()) {
    box.y = placeOf(box)?.top ?? top
    const below = staying[index + 1]
    if (below) fit(box, (placeOf(below)?.top ?? Infinity) - gap - box.y)
  }
  const returning = boxes.filter((box) => (placeOf(box)?.gone ?? 0) > 0).sort(byPlace(placeOf))
  const { kept, others } = putBack(staying, returning, placeOf, at)
  const entering = boxes.filter((box) => !placeOf(box) || others.has(box))
  const reserved = [...(places ?? [])]
    .filter(([, place]) => place.column === column && place.gone > 0)
    .map(([, place]) => place)
  const room = boxes.reduce((sum, { height }) => sum + height + gap, 0) * LOOSE
  const result = fill(kept, entering, reserved, at)
  const bottom = result.at(-1)
  if (reserved.length === 0 || !bottom || bottom.y + bottom.height - top <= room) return result
  return fill(kept, entering, [], at)
}

function byPlace<T>(placeOf: (box: T) => Place | undefined) {
  return (a: T, b: T) => (placeOf(a)?.top ?? 0) - (placeOf(b)?.top ?? 0)
}

/** Boxes that are back, between those that stay; `others`: their place is taken. */
function putBack<T extends Box>(
  staying: readonly T[],
  returning: readonly T[],
  placeOf: (box: T) => Place | undefined,
  { gap, fit }: Column<T>,
): { kept: T[]; others: Set<T> } {
  const kept: T[] = []
  const others = new Set<T>()
  let next = 0
  let free = -Infinity
  const keep = (box: T) => {
    kept.push(box)
    free = box.y + box.height + gap
  }
  for (const box of returning) {
    const place = placeOf(box) as Place
    for (let other = staying[next]; other && other.y <= place.top; other = staying[next]) {
      keep(other)
      next += 1
    }
    const below = staying[next]
    const room = below ? below.y - gap - place.top : Infinity
    if (place.top < free || room < Math.min(place.height, box.height)) {
      others.add(box)
      continue
    }
    box.y = place.top
    fit(box, room)
    keep(box)
  }
  for (const box of staying.slice(next)) keep(box)
  return { kept, others }
}

/** The others in the holes between boxes that have a place and places that are reserved, then below. */
function fill<T extends Box>(
  kept: readonly T[],
  entering: readonly T[],
  reserved: readonly Place[],
  { top, gap }: Column<T>,
): T[] {
  const taken = [
    ...kept.map((box) => ({ box, top: box.y, bottom: box.y + box.height })),
    ...reserved.map((place) => ({ box: null, top: place.top, bottom: place.top + place.height })),
  ].sort((a, b) => a.top - b.top)
  const result: T[] = []
  let y = top
  let next = 0
  const put = (box: T) => {
    box.y = y
    result.push(box)
    y += box.height + gap
  }
  for (const { box, top: start, bottom } of taken) {
    for (
      let other = entering[next];
      other && y + other.height + gap <= start;
      other = entering[next]
    ) {
      put(other)
      next += 1
    }
    if (box) result.push(box)
    y = Math.max(y, bottom + gap)
  }
  for (const box of entering.slice(next)) put(box)
  return result.sort((a, b) => a.y - b.y)
}
