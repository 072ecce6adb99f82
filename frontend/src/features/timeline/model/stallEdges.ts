/** Onset, end and baseline of a stall as they are shown and dragged. Epoch ms. */
import { parseIso } from '@/charts/time'
import type { Correction, Stall } from './documents'

export type Edges = {
  readonly baselineStart: number | null
  readonly baselineEnd: number | null
  readonly onset: number
  readonly end: number | null
}
export type Which = keyof Edges

export const NAMES: Readonly<Record<Which, string>> = {
  baselineStart: 'Start of the baseline',
  baselineEnd: 'End of the baseline',
  onset: 'Onset of the stall',
  end: 'End of the stall',
}

const LEAST_MS = 1000
/** The smallest target of a pointer, CSS pixels (WCAG 2.5.8). */
export const TARGET = 24

/** The last time at which the stall was seen: its end, or where its capture ends inside it. */
export function lastSeen(stall: Pick<Stall, 'onset' | 'end' | 'duration_s'>): number {
  const onset = parseIso(stall.onset) ?? 0
  return parseIso(stall.end) ?? onset + (stall.duration_s ?? 0) * 1000
}

/** The corrected edges where a person set them, otherwise the computed ones. */
export function edges(
  stall: Pick<Stall, 'onset' | 'end' | 'baseline'>,
  correction: Correction | undefined,
): Edges {
  return {
    onset: parseIso(correction?.onset) ?? parseIso(stall.onset) ?? 0,
    end: parseIso(correction?.end) ?? parseIso(stall.end),
    baselineStart: parseIso(correction?.baseline_start) ?? parseIso(stall.baseline?.start),
    baselineEnd: parseIso(correction?.baseline_end) ?? parseIso(stall.baseline?.end),
  }
}

/** One edge moved, to the tenth of a second; it pushes its neighbours rather than pass them. */
export function moved(before: Edges, which: Which, to: number): Edges {
  const at = Math.round(to / 100) * 100
  let { baselineStart, baselineEnd, onset, end } = { ...before, [which]: at } as Edges
  if (which === 'onset') {
    if (end !== null) end = Math.max(end, onset + LEAST_MS)
    if (baselineEnd !== null) baselineEnd = Math.min(baselineEnd, onset)
  }
  if (which === 'end' && end !== null) onset = Math.min(onset, end - LEAST_MS)
  if (which === 'baselineEnd' && baselineEnd !== null) baselineEnd = Math.min(baselineEnd, onset)
  if (which === 'baselineStart' && baselineStart !== null) {
    baselineStart = Math.min(baselineStart, onset - LEAST_MS)
    if (baselineEnd !== null) baselineEnd = Math.max(baselineEnd, baselineStart + LEAST_MS)
  }
  if (baselineStart !== null && baselineEnd !== null) {
    baselineEnd = Math.min(baselineEnd, onset)
    baselineStart = Math.min(baselineStart, baselineEnd - LEAST_MS)
  }
  return { baselineStart, baselineEnd, onset, end }
}

/**
 * Centres of the handles' targets, each TARGET wide and none over another; from and to CSS pixels of
 * the plot, in the order of time. Onset and end part from their middle, the baseline's give way to
 * the left, and what meets a border of the plot goes back into it.
 */
export function targets(
  at: readonly (readonly [Which, number])[],
  width: number,
): ReadonlyMap<Which, number> {
  const x = at.map(([, px]) => px)
  const last = x.length - 1
  const [onset = 0, end = 0] = x.slice(-2)
  if (at[last]?.[0] === 'end' && at[last - 1]?.[0] === 'onset' && end - onset < TARGET) {
    x[last - 1] = (onset + end - TARGET) / 2
    x[last] = (onset + end + TARGET) / 2
  }
  const leftwards = (border: number) => {
    for (let i = last; i >= 0; i--) x[i] = Math.min(x[i] ?? 0, (x[i + 1] ?? border) - TARGET)
  }
  leftwards(Infinity)
  for (let i = 0; i <= last; i++) x[i] = Math.max(x[i] ?? 0, (x[i - 1] ?? -TARGET) + TARGET)
  leftwards(width + TARGET)
  return new Map(at.map(([which], i) => [which, x[i] ?? 0]))
}
