/**
 * The value axis of a lane that is clipped to what matters: a burst after a stall, a hundred times as
 * high, would flatten the stall itself. What is higher leaves the lane, with a marker and its number.
 */
import { type Box, type Domain, firstAfter } from './laneBox'
import type { Interval } from './range'
import type { Sketch } from './sketch'
import { extremes, type Run, type Tile } from './tileLane'

/** A little higher than what matters is not worth a marker. */
const WORTH = 1.25
/** Share of the points of a stretch that may lie above its axis. */
const FEW = 0.05
/** Markers closer together than this are one, CSS pixels. */
const APART = 14

/** The axis over some stretches of a window, or over the whole window where they have no values. */
export function clippedDomain(
  runs: readonly Run[],
  window: Interval,
  stretches: readonly Interval[],
): Domain | null {
  const all = extremes(runs, ...window)
  if (!all) return null
  let high = 0
  for (const [start, end] of stretches) {
    const [from, to] = [Math.max(start, window[0]), Math.min(end, window[1])]
    if (to > from) high = Math.max(high, usualHigh(highs(runs, from, to)))
  }
  return high > 0 && all[1] > high * WORTH ? [all[0], high] : all
}

/** The highest value; where it is more than twice what all but a few reach, what those reach. */
function usualHigh(values: number[]): number {
  const [highest = 0] = values.sort((a, b) => b - a)
  const usual = values[Math.floor(values.length * FEW)] ?? 0
  return usual > 0 && highest > 2 * usual ? usual : highest
}

/** The highest value of each point inside a window. */
function highs(runs: readonly Run[], from: number, to: number): number[] {
  const values: number[] = []
  for (const { tile, i } of pointsOf(runs, from, to)) {
    const value = tile.high[i] as number
    if (value === value) values.push(value)
  }
  return values
}

type Point = { readonly tile: Tile; readonly i: number; readonly at: number }

function* pointsOf(runs: readonly Run[], from: number, to: number): Generator<Point> {
  for (const run of runs) {
    const [begin, end] = [Math.max(from, run.from), Math.min(to, run.to)]
    for (const tile of run.tiles) {
      const last = Math.min(tile.own[1], firstAfter(tile.at, end))
      for (let i = Math.max(tile.own[0], firstAfter(tile.at, begin) - 1); i < last; i++) {
        const at = tile.at[i] as number
        if (at >= begin) yield { tile, i, at }
      }
    }
  }
}

type Peak = { readonly px: number; readonly value: number }

/** The highest value of each stretch in which a series is above its axis. */
export function overflows(
  runs: readonly Run[],
  [from, to]: Interval,
  limit: number,
  toX: (at: number) => number,
): Peak[] {
  const peaks: { px: number; value: number; last: number }[] = []
  for (const { tile, i, at } of pointsOf(runs, from, to)) {
    const value = tile.high[i] as number
    if (!(value > limit)) continue
    const px = toX(at)
    const peak = peaks.at(-1)
    if (peak && px - peak.last < APART) {
      peak.last = px
      if (value > peak.value) Object.assign(peak, { px, value })
    } else peaks.push({ px, value, last: px })
  }
  return peaks
}

/** A triangle at the top of the lane for each, and below it the number of the highest. */
export function drawOverflow(
  sketch: Sketch,
  peaks: readonly Peak[],
  box: Box,
  colours: { readonly mark: string; readonly text: string },
  format: (value: number) => string,
): void {
  let highest: Peak | undefined
  sketch.fillStyle = colours.mark
  for (const peak of peaks) {
    if (!highest || peak.value > highest.value) highest = peak
    sketch.beginPath()
    sketch.moveTo(peak.px - 4, box.y + 7)
    sketch.lineTo(peak.px + 4, box.y + 7)
    sketch.lineTo(peak.px, box.y + 1)
    sketch.closePath()
    sketch.fill()
  }
  if (!highest || box.h < 24) return
  const text = format(highest.value)
  const width = sketch.measure(text)
  // Below the triangles, of which the next one may be as near as the number is wide.
  const left = Math.min(highest.px - width / 2, box.x + box.w - width - 2)
  sketch.fillStyle = colours.text
  sketch.fillText(text, Math.max(box.x + 2, left), box.y + 18)
}
