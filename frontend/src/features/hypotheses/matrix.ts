/** Logic of the matrix grid: ratings, keys, order and description of cells. */
import { formatCount } from '@/format'
import type { components } from '@/api/schema'

export type Matrix = components['schemas']['Matrix']
export type MatrixRow = components['schemas']['MatrixRow']
export type MatrixCell = components['schemas']['MatrixCell']
export type MatrixHypothesis = components['schemas']['MatrixHypothesis']
export type Rating = NonNullable<MatrixCell['mine']>
export type Mode = 'consensus' | 'mine' | 'disagreement'

/** In the order of the keys 1 to 5, then 0. Letter, shape and words: never colour alone. */
export const RATINGS: readonly {
  readonly rating: Rating
  readonly key: string
  readonly shape: string
  readonly words: string
}[] = [
  { rating: 'CC', key: '1', shape: '▲', words: 'very consistent' },
  { rating: 'C', key: '2', shape: '△', words: 'consistent' },
  { rating: 'N', key: '3', shape: '–', words: 'neutral' },
  { rating: 'I', key: '4', shape: '▽', words: 'inconsistent' },
  { rating: 'II', key: '5', shape: '▼', words: 'very inconsistent' },
  { rating: 'NA', key: '0', shape: '∅', words: 'not applicable' },
]

export const shapeOf = (rating: Rating) =>
  RATINGS.find((item) => item.rating === rating)?.shape ?? ''
export const wordsOf = (rating: Rating) =>
  RATINGS.find((item) => item.rating === rating)?.words ?? ''

/** Return the rating of a key: null clears the rating, undefined for any other key. */
export function ratingOf(key: string): Rating | null | undefined {
  if (key === 'Backspace') return null
  return RATINGS.find((item) => item.key === key)?.rating
}

export type Place = { readonly row: number; readonly column: number }

/** Return the cell that a key moves to; the same cell at the edge, null for any other key. */
export function moved(at: Place, key: string, rows: number, columns: number): Place | null {
  const clamp = (value: number, size: number) => Math.max(0, Math.min(size - 1, value))
  switch (key) {
    case 'ArrowUp':
      return { row: clamp(at.row - 1, rows), column: at.column }
    case 'ArrowDown':
      return { row: clamp(at.row + 1, rows), column: at.column }
    case 'ArrowLeft':
      return { row: at.row, column: clamp(at.column - 1, columns) }
    case 'ArrowRight':
      return { row: at.row, column: clamp(at.column + 1, columns) }
    case 'Home':
      return { row: at.row, column: 0 }
    case 'End':
      return { row: at.row, column: columns - 1 }
    default:
      return null
  }
}

/** A cell by its ids, which stay the same when scores reorder rows and columns. */
export type Chosen = { readonly pin: string; readonly hypothesis: string }

/** The order kept while the user rates, so that cells do not move. */
export type Order = { readonly pins: readonly string[]; readonly hypotheses: readonly string[] }

export const orderOf = (matrix: Matrix): Order => ({
  pins: matrix.rows.map((row) => row.pin_id),
  hypotheses: matrix.hypotheses.map((hypothesis) => hypothesis.id),
})

/** Arrange the matrix in a kept order; new rows and columns come last, kinds stay together. */
export function arranged(matrix: Matrix, order: Order | null): Matrix {
  if (!order) return matrix
  const by = (ids: readonly string[]) => {
    const places = new Map(ids.map((id, index) => [id, index]))
    return (id: string) => places.get(id) ?? ids.length
  }
  const pin = by(order.pins)
  const hypothesis = by(order.hypotheses)
  const kind = by(Object.keys(GROUPS))
  return {
    ...matrix,
    hypotheses: matrix.hypotheses.toSorted((a, b) => hypothesis(a.id) - hypothesis(b.id)),
    rows: matrix.rows
      .toSorted((a, b) => kind(a.kind) - kind(b.kind) || pin(a.pin_id) - pin(b.pin_id))
      .map((row) => ({
        ...row,
        cells: row.cells.toSorted(
          (a, b) => hypothesis(a.hypothesis_id) - hypothesis(b.hypothesis_id),
        ),
      })),
  }
}

/** Return the position of a cell; the first cell when none is selected or it was removed. */
export function placeOf(matrix: Matrix, chosen: Chosen | null): Place {
  const row = matrix.rows.findIndex((row) => row.pin_id === chosen?.pin)
  const column = matrix.hypotheses.findIndex((hypothesis) => hypothesis.id === chosen?.hypothesis)
  return { row: Math.max(0, row), column: Math.max(0, column) }
}

const GROUPS = {
  observation: 'Observations',
  experiment: 'Experiments',
  absence: 'Absences',
  testimony: 'Testimony',
} as const

type Group = { readonly title: string; readonly rows: readonly MatrixRow[] }

/** Group the rows by kind in their order; `first` counts the rows before a group. */
export function groupsOf(rows: readonly MatrixRow[]): (Group & { readonly first: number })[] {
  const found: { title: string; rows: MatrixRow[]; first: number }[] = []
  rows.forEach((row, index) => {
    const title = GROUPS[row.kind as keyof typeof GROUPS]
    const last = found.at(-1)
    if (last?.title === title) last.rows.push(row)
    else found.push({ title, rows: [row], first: index })
  })
  return found
}

/** The appearance of a cell: letter, tint and marks. */
type Look = {
  readonly letter: Rating | null
  readonly tint: 'for-2' | 'for-1' | 'none' | 'against-1' | 'against-2' | 'na' | 'apart'
  readonly proposed: boolean
  /** Disagreement as a share (0..1) of the possible maximum. */
  readonly apart: number
}

const TINTS = {
  CC: 'for-2',
  C: 'for-1',
  N: 'none',
  I: 'against-1',
  II: 'against-2',
  NA: 'na',
} as const

export function lookOf(cell: MatrixCell, mode: Mode): Look {
  const apart = Math.min(1, (cell.disagreement ?? 0) / 2)
  if (cell.shown === null) {
    const letter = cell.proposed?.rating ?? null
    return { letter, tint: 'none', proposed: letter !== null, apart }
  }
  const tint = mode === 'disagreement' ? (apart > 0 ? 'apart' : 'none') : TINTS[cell.shown]
  return { letter: cell.shown, tint, proposed: false, apart }
}

/** Describe a cell in one sentence for screen readers. */
export function describeCell(
  row: MatrixRow,
  hypothesis: MatrixHypothesis,
  cell: MatrixCell,
): string {
  const parts = [`${row.label} under ${hypothesis.label}`]
  if (cell.shown) parts.push(wordsOf(cell.shown))
  else if (cell.proposed) parts.push(`proposed: ${wordsOf(cell.proposed.rating)}`)
  else parts.push('not rated')
  if (cell.mine && cell.mine !== cell.shown) parts.push(`you: ${wordsOf(cell.mine)}`)
  if (cell.blind) parts.push('others rated; hidden until you rate')
  if (cell.disagreement) parts.push(`people disagree by ${cell.disagreement.toFixed(1)}`)
  if (cell.comments) parts.push(formatCount(cell.comments, 'comment'))
  return parts.join(', ')
}
