/**
 * Places for a list of any length in a scroller of limited height: a browser draws no element of
 * more than some 30 million pixels, and ten million lines are more. Up to MOST_PX a row is where it
 * would be; beyond, the scrollbar stands for the share of the list, and wheel and keys go by rows.
 */

export const MOST_PX = 8_000_000

type Measure = {
  readonly count: number
  readonly rowPx: number
  /** Height of what is seen. */
  readonly viewPx: number
}

export const isScaled = ({ count, rowPx }: Measure) => count * rowPx > MOST_PX

/** Height of the scrolled element. */
export const contentPx = (m: Measure) => Math.min(m.count * m.rowPx, MOST_PX)

/** The largest row that can stand at the top; rows may be fractions. */
export const lastTop = (m: Measure) => Math.max(0, m.count - m.viewPx / m.rowPx)

/** The row at the top for a place of the scrollbar. */
export function topAt(m: Measure, scrollPx: number): number {
  if (!isScaled(m)) return clampTop(m, scrollPx / m.rowPx)
  const most = contentPx(m) - m.viewPx
  return clampTop(m, most > 0 ? (scrollPx / most) * lastTop(m) : 0)
}

/** The place of the scrollbar for a row at the top. */
export function scrollAt(m: Measure, top: number): number {
  if (!isScaled(m)) return top * m.rowPx
  const last = lastTop(m)
  return last > 0 ? (clampTop(m, top) / last) * (contentPx(m) - m.viewPx) : 0
}

export const clampTop = (m: Measure, top: number) => Math.min(lastTop(m), Math.max(0, top))

/** First and last row that are seen, with one more at each end; last < first when none is. */
export function rowsSeen(m: Measure, top: number): readonly [first: number, last: number] {
  const first = Math.max(0, Math.floor(top) - 1)
  const last = Math.min(m.count - 1, Math.ceil(top + m.viewPx / m.rowPx))
  return [first, last]
}
