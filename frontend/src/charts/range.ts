/**
 * Arithmetic on ranges of time: zoom, pan, clamp. Imports nothing, so the viewer of report files shares
 * it without d3.
 */

/** Half-open [start, end), epoch ms. */
export type Interval = readonly [number, number]

/** A range is never zoomed narrower than this. */
export const MIN_SPAN_MS = 1000

/** Zoom by a factor around an instant, kept inside `whole` and never narrower than `least` ms. */
export function zoomed(
  range: Interval,
  factor: number,
  around: number,
  whole: Interval,
  least = MIN_SPAN_MS,
): Interval {
  const span = Math.min(
    Math.max(least, (range[1] - range[0]) * factor),
    Math.max(least, whole[1] - whole[0]),
  )
  const share = (around - range[0]) / (range[1] - range[0] || 1)
  return clamped([around - share * span, around + (1 - share) * span], whole)
}

/** Shift by a share of the visible span, kept inside `whole`. */
export function panned(range: Interval, share: number, whole: Interval): Interval {
  const by = (range[1] - range[0]) * share
  return clamped([range[0] + by, range[1] + by], whole)
}

/** The same span moved inside `whole`; `whole` itself when it is wider. */
export function clamped(range: Interval, whole: Interval): Interval {
  const span = range[1] - range[0]
  if (span >= whole[1] - whole[0]) return whole
  const start = Math.min(Math.max(range[0], whole[0]), whole[1] - span)
  return [start, start + span]
}

/** A stretch without the gaps in it; empty where it lies in a gap. */
export function withoutGaps([from, to]: Interval, gaps: readonly Interval[]): Interval[] {
  const pieces: Interval[] = []
  let begin = from
  for (const [start, end] of gaps) {
    if (end <= begin) continue
    if (start >= to) break
    if (start > begin) pieces.push([begin, start])
    begin = Math.max(begin, end)
  }
  if (begin <= to) pieces.push([begin, to])
  return pieces
}

/** The times between spans in any order, that none of them covers; in time order. */
export function gapsBetween(spans: readonly Interval[]): Interval[] {
  const gaps: Interval[] = []
  let until = Infinity
  for (const [from, to] of [...spans].sort((a, b) => a[0] - b[0])) {
    if (from > until) gaps.push([until, from])
    until = until === Infinity ? to : Math.max(until, to)
  }
  return gaps
}
