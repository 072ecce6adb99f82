/**
 * Scroll positions of a list of any length: a browser limits elements to some 30 million pixels, and ten
 * million lines need more. Up to MAX_PX the scrollbar is exact; beyond, it shows the share of the list,
 * and wheel and keys scroll by rows.
 */

export const MAX_PX = 8_000_000

type Measure = {
  readonly count: number
  readonly rowPx: number
  /** Height of the viewport. */
  readonly viewPx: number
}

export const isScaled = ({ count, rowPx }: Measure) => count * rowPx > MAX_PX

/** Return the height of the scrolled element. */
export const contentPx = (m: Measure) => Math.min(m.count * m.rowPx, MAX_PX)

/** Return the largest possible top row; rows may be fractions. */
export const lastTop = (m: Measure) => Math.max(0, m.count - m.viewPx / m.rowPx)

/** Return the top row for a scroll position. */
export function topAt(m: Measure, scrollPx: number): number {
  if (!isScaled(m)) return clampTop(m, scrollPx / m.rowPx)
  const most = contentPx(m) - m.viewPx
  return clampTop(m, most > 0 ? (scrollPx / most) * lastTop(m) : 0)
}

/** Return the scroll position for a top row. */
export function scrollAt(m: Measure, top: number): number {
  if (!isScaled(m)) return top * m.rowPx
  const last = lastTop(m)
  return last > 0 ? (clampTop(m, top) / last) * (contentPx(m) - m.viewPx) : 0
}

export const clampTop = (m: Measure, top: number) => Math.min(lastTop(m), Math.max(0, top))

/** Return the visible rows plus one at each end; last < first when there are none. */
export function rowsSeen(m: Measure, top: number): readonly [first: number, last: number] {
  const first = Math.max(0, Math.floor(top) - 1)
  const last = Math.min(m.count - 1, Math.ceil(top + m.viewPx / m.rowPx))
  return [first, last]
}
