/** Pure parts of the raw viewer: the margin and the selection of lines. */
import type { ArtifactDetail } from '@/api/schema'

export type Mark = 'problem' | 'skipped'

/** What the margin says of a line; understood lines have no mark. Looked up by bisection. */
export function marginMarks(
  detail: Pick<ArtifactDetail, 'receipt' | 'problems_list'> | undefined,
): (line: number) => Mark | null {
  const problems = new Set((detail?.problems_list ?? []).map((problem) => problem.line))
  const skipped = [...(detail?.receipt?.skipped ?? [])].sort((a, b) => a.line_first - b.line_first)
  return (line) => {
    if (problems.has(line)) return 'problem'
    let low = 0
    let high = skipped.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((skipped[middle]?.line_last ?? 0) < line) low = middle + 1
      else high = middle
    }
    const range = skipped[low]
    return range && range.line_first <= line ? 'skipped' : null
  }
}

export type Lines = { readonly first: number; readonly last: number }

/** A click chooses one line (again: none); with Shift the range from the first to it. */
export function selectionAfter(now: Lines, at: number, shift: boolean): Lines {
  if (shift && now.first > 0) {
    return at < now.first ? { first: at, last: now.last } : { first: now.first, last: at }
  }
  if (now.first === at && now.last === at) return { first: 0, last: 0 }
  return { first: at, last: at }
}
