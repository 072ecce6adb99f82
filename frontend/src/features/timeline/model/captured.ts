/**
 * When servers were observed, from the captures of the analysis. Nothing is drawn, joined or compared
 * across the time between; it is a gap of the capture, and looks like one.
 */
import type { CaptureDoc } from '@/api/schema'
import { gapsBetween, type Interval } from '@/charts/range'
import { parseIso } from '@/charts/time'

/** Share of a stretch that may lie beyond the capture: a window seldom begins with a sample. */
const SLACK = 0.1

/** Gaps in time order, none touching another. */
export type Gaps = readonly Interval[]

/** The times inside `captures` that no capture covers: between them, and where one was silent. */
export function gapsOf(captures: readonly CaptureDoc[]): Gaps {
  return gapsBetween(captures.flatMap(piecesOf))
}

/** One capture as the pieces between its own gaps. */
function piecesOf(capture: CaptureDoc): Interval[] {
  const [first, last] = [parseIso(capture.first), parseIso(capture.last)]
  if (first === null || last === null) return []
  const pieces: Interval[] = []
  let from = first
  for (const gap of capture.gaps) {
    const [start, end] = [parseIso(gap.start), parseIso(gap.end)]
    if (start === null || end === null) continue
    if (start > from) pieces.push([from, Math.min(start, last)])
    from = Math.max(from, end)
  }
  if (from <= last) pieces.push([from, last])
  return pieces
}

export class Captured {
  /** When no server was observed. */
  readonly gaps: Gaps
  /** From the first sample to the last; null without captures. */
  private readonly whole: Interval | null
  private readonly ofHost = new Map<string, Gaps>()

  constructor(captures: readonly CaptureDoc[] = []) {
    this.gaps = gapsOf(captures)
    const pieces = captures.flatMap(piecesOf)
    this.whole =
      pieces.length === 0
        ? null
        : [Math.min(...pieces.map(([from]) => from)), Math.max(...pieces.map(([, to]) => to))]
    for (const host of new Set(captures.map((capture) => capture.host))) {
      if (host === null) continue
      this.ofHost.set(host, gapsOf(captures.filter((capture) => capture.host === host)))
    }
  }

  /** The gaps of a host; of a host without captures, and of none, those of all. */
  gapsOf(host: string | null): Gaps {
    return (host !== null ? this.ofHost.get(host) : undefined) ?? this.gaps
  }

  /** Whether a stretch was observed from its begin to its end. */
  holds([from, to]: Interval): boolean {
    const [first, last] = this.whole ?? [Infinity, -Infinity]
    const slack = (to - from) * SLACK
    if (from < first - slack || to > last + slack) return false
    return !this.gaps.some(([start, end]) => start < to && end > from)
  }
}
