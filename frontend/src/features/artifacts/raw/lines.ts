/** Logic of the raw viewer: margin marks, selection of lines, ruler and sections. */
import type { ArtifactDetail, SectionOut } from '@/api/schema'

export type Mark = 'problem' | 'skipped'

/** Build the lookup of the margin mark of a line, by bisection; understood lines have no mark. */
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

type Lines = { readonly first: number; readonly last: number }

/** Return the selection after a click: one line, none on a repeat, a range with Shift. */
export function selectionAfter(now: Lines, at: number, shift: boolean): Lines {
  if (shift && now.first > 0) {
    return at < now.first ? { first: at, last: now.last } : { first: now.first, last: at }
  }
  if (now.first === at && now.last === at) return { first: 0, last: 0 }
  return { first: at, last: at }
}

/** Parse the lines of an address hash such as '#L100-L140' or '#L7'; null for anything else. */
export function linesOfHash(hash: string): Lines | null {
  const match = /^#L(\d{1,15})(?:-L?(\d{1,15}))?$/.exec(hash)
  if (!match) return null
  const a = Number(match[1])
  const b = match[2] === undefined ? a : Number(match[2])
  if (a < 1 || b < 1) return null
  return { first: Math.min(a, b), last: Math.max(a, b) }
}

export const hashOfLines = ({ first, last }: Lines): string =>
  last > first ? `#L${first}-L${last}` : `#L${first}`

/** List the lines with problems and the starts of skipped ranges, in order. */
export function troubleLines(
  detail: Pick<ArtifactDetail, 'receipt' | 'problems_list'> | undefined,
): readonly number[] {
  const lines = new Set<number>()
  for (const { line } of detail?.problems_list ?? []) if (line !== null) lines.add(line)
  for (const range of detail?.receipt?.skipped ?? []) lines.add(range.line_first)
  return [...lines].sort((a, b) => a - b)
}

/** Return the next line among sorted lines, wrapping at the ends; null for an empty list. */
export function nextLineAround(lines: readonly number[], at: number, step: 1 | -1): number | null {
  if (lines.length === 0) return null
  const value = step === 1 ? lines.find((line) => line > at) : lines.findLast((line) => line < at)
  return value ?? (step === 1 ? lines[0] : lines.at(-1)) ?? null
}

type Tick = { readonly top: number; readonly height: number; readonly mark: Mark }

/** Compute the ruler marks of the whole file: at most one of each kind per pixel. */
export function rulerTicks(
  detail: Pick<ArtifactDetail, 'receipt' | 'problems_list'> | undefined,
  total: number,
  height: number,
): Tick[] {
  if (total < 1 || height < 1) return []
  const y = (line: number) => Math.min(height - 1, Math.floor(((line - 1) / total) * height))
  const ticks = new Map<string, Tick>()
  for (const range of detail?.receipt?.skipped ?? []) {
    const top = y(range.line_first)
    const tall = Math.max(1, y(range.line_last) - top)
    const key = `s${top}`
    if ((ticks.get(key)?.height ?? 0) < tall) ticks.set(key, { top, height: tall, mark: 'skipped' })
  }
  for (const { line } of detail?.problems_list ?? [])
    if (line !== null) ticks.set(`p${y(line)}`, { top: y(line), height: 2, mark: 'problem' })
  return [...ticks.values()]
}

/** Return the index of the current section, a few lines below `line`; -1 above the first. */
export function sectionAt(sections: readonly SectionOut[], line: number): number {
  let low = 0
  let high = sections.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sections[middle]?.line_first ?? 0) <= line + 4) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** Insert the fine sections of one outline section after it. */
export function withFiner(
  outline: readonly SectionOut[],
  at: number,
  finer: readonly SectionOut[],
): readonly SectionOut[] {
  const from = outline[at]
  if (!from) return outline
  const end = outline[at + 1]?.line_first ?? Infinity
  const inside = finer.filter(
    (item) =>
      item.line_first >= from.line_first &&
      item.line_first < end &&
      (item.level > from.level || item.line_first > from.line_first),
  )
  return [...outline.slice(0, at + 1), ...inside, ...outline.slice(at + 1)]
}

/**
 * Shorten the timestamp of a dump for the narrow column: without the year, and without the day when the
 * title above has the same day or none.
 */
export function shortTitle(title: string, above: string | undefined): string {
  const [, day, clock] = /^\d{4}-(\d\d-\d\d) (\d\d:\d\d:\d\d)/.exec(title) ?? []
  if (!day || !clock) return title
  const before = /^\d{4}-(\d\d-\d\d) /.exec(above ?? '')?.[1]
  return above === undefined || (before && before !== day) ? `${day} ${clock}` : clock
}
