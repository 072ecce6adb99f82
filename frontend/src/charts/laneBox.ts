/** Where a lane is drawn and which values it spans; the line below it. */
import type { Palette } from './palette'
import type { Sketch } from './sketch'
import type { Interval } from './range'

export type Box = { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
export type Domain = readonly [number, number]

/** Pixels of the plot from times; `shift` is added to a lane's own times (hosts aligned at onset). */
export function scaleOf(range: Interval, box: Pick<Box, 'x' | 'w'>, shift = 0) {
  const factor = box.w / (range[1] - range[0])
  return (at: number) => box.x + (at + shift - range[0]) * factor
}

/** The domain of an axis: from zero (or the minimum below it) to the maximum. */
export function axisOf(domain: Domain | null): Domain {
  if (!domain) return [0, 1]
  const low = Math.min(0, domain[0])
  const high = Math.max(0, domain[1])
  return high === low ? [low, low + 1] : [low, high]
}

/** Hairline under a lane. */
export function drawFoot(
  sketch: Sketch,
  lane: { readonly kind: string },
  box: Box,
  palette: Palette,
): void {
  if (lane.kind === 'group') {
    sketch.fillStyle = palette['chrome'] ?? ''
    sketch.fillRect(box.x, box.y, box.w, box.h)
  }
  sketch.fillStyle = palette['line'] ?? ''
  sketch.fillRect(box.x, box.y + box.h - 1, box.w, 1)
}

/** Index of the first time after an instant. */
export function firstAfter(times: Float64Array, at: number): number {
  let low = 0
  let high = times.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((times[middle] as number) <= at) low = middle + 1
    else high = middle
  }
  return low
}
