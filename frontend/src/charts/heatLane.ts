/** Draws counts over time as cells of five heats. */
import { type Box, firstAfter } from './laneBox'
import type { Interval } from './range'
import type { Palette } from './palette'
import type { Sketch } from './sketch'

/** Counts at instants; `peak` is the most of any lane that shares the colours. */
type HeatCells = {
  readonly at: Float64Array
  readonly counts: Float64Array
  readonly peak: number
}

const HEAT = ['heat-1', 'heat-2', 'heat-3', 'heat-4', 'heat-5'] as const

/** Cells from snapshot to snapshot, at most a minute or three usual distances long; zero is faint. */
export function drawHeat(
  sketch: Sketch,
  lane: HeatCells,
  box: Box,
  toX: (at: number) => number,
  from: number,
  palette: Palette,
  gaps: readonly Interval[] = [],
): void {
  const { at, counts } = lane
  const reach = cellReach(at)
  const top = box.y + 2
  const height = Math.max(4, box.h - 4)
  let i = firstAfter(at, from - reach)
  let gap = 0
  for (; i < at.length; i++) {
    const begin = at[i] as number
    const left = Math.max(box.x, toX(begin))
    if (left > box.x + box.w) break
    const next = i + 1 < at.length ? (at[i + 1] as number) : begin + reach
    while (gap < gaps.length && (gaps[gap]?.[0] ?? 0) < begin) gap++
    const until = Math.min(next, begin + reach, gaps[gap]?.[0] ?? Infinity)
    const right = Math.min(box.x + box.w, toX(until))
    const width = Math.max(1, right - left - (right - left > 4 ? 1 : 0))
    if (right < box.x) continue
    const count = counts[i] as number
    const step = count <= 0 ? 'heat-0' : HEAT[heatStep(count, lane.peak)]
    sketch.fillStyle = palette[step ?? 'heat-0'] ?? ''
    sketch.fillRect(left, top, width, height)
  }
}

/** 0..4, by the square root of the share: one waiter among three hundred is still seen. */
export function heatStep(count: number, peak: number): number {
  const share = Math.sqrt(count / Math.max(1, peak))
  return Math.min(4, Math.max(0, Math.ceil(share * 5) - 1))
}

/** How long each snapshot applies, ms: until the next one, but not across a gap. */
export function cellReach(at: Float64Array): number {
  if (at.length < 2) return 1000
  const steps = Array.from(at.subarray(1), (time, i) => time - (at[i] as number)).sort(
    (a, b) => a - b,
  )
  return Math.max(1000, Math.min(60_000, 3 * (steps[steps.length >> 1] ?? 1000)))
}
