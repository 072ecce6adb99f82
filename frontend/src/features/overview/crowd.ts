/** Layout of a crowd: small squares in columns of five, one per session or per several. */
const SIDE = 4
const GAP = 1
const ROWS = 5
/** More squares than this nobody counts. */
const MOST = 200

type Crowd = {
  readonly squares: readonly (readonly [number, number])[]
  /** Sessions per square. */
  readonly each: number
  readonly width: number
  readonly height: number
}

/** Lay out `count` sessions; one square per 1, 10, 100, … of them. */
export function crowd(count: number): Crowd {
  let each = 1
  while (count / each > MOST) each *= 10
  const squares = Array.from({ length: Math.max(1, Math.ceil(count / each)) }, (_, at) => {
    const column = Math.floor(at / ROWS)
    return [column * (SIDE + GAP), (at % ROWS) * (SIDE + GAP)] as const
  })
  const columns = Math.ceil(squares.length / ROWS)
  return {
    squares,
    each,
    width: columns * (SIDE + GAP) - GAP,
    height: Math.min(squares.length, ROWS) * (SIDE + GAP) - GAP,
  }
}
