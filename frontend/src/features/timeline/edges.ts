/** Onset, end and baseline of a stall as they are shown and dragged. Epoch ms. */
import { parseIso } from '@/charts/time'
import type { Correction, Stall } from './queries'

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

/** What a person said where they did, what is computed otherwise. */
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
