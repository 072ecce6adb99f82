/** Draw a series from tiles: a min-max band, a line through the means, gaps left open. */
import { type Box, type Domain, firstAfter } from './laneBox'
import type { Palette } from './palette'
import type { Sketch } from './sketch'

/** Columns of one length; a NaN in `mid` is a gap. One point before and one after may be outside. */
export type Tile = {
  readonly start: number
  readonly end: number
  readonly at: Float64Array
  readonly mid: Float64Array
  readonly low: Float64Array
  readonly high: Float64Array
  /** Each point is one sample. */
  readonly plain: boolean
  /** Points before `start`, after the last inside: the range of the tile's own points. */
  readonly own: readonly [number, number]
}

/** Tiles drawn as one line, clipped to a stretch of time. */
export type Run = { readonly tiles: readonly Tile[]; readonly from: number; readonly to: number }

/** How a series is drawn: --cat-1 to --cat-7, linear or logarithmic. */
export type MetricStyle = {
  readonly choice: {
    readonly scale: 'linear' | 'full' | 'log' | 'shared'
    readonly colour: number
  }
}

const PAD = 5
const DENSE = 300

/** The lowest and highest value inside a window; null when there is none. */
export function extremes(runs: readonly Run[], from: number, to: number): Domain | null {
  let low = Infinity
  let high = -Infinity
  for (const run of runs) {
    const begin = Math.max(from, run.from)
    const end = Math.min(to, run.to)
    for (const tile of run.tiles) {
      const [first, last] = tile.own
      for (let i = first; i < last; i++) {
        const at = tile.at[i] as number
        if (at < begin || at > end) continue
        const a = tile.low[i] as number
        const b = tile.high[i] as number
        if (a < low) low = a
        if (b > high) high = b
      }
    }
  }
  return high < low ? null : [low, high]
}

export function yOf(domain: Domain, box: Box, log: boolean): (value: number) => number {
  const bend = (value: number) => (log ? Math.sign(value) * Math.log1p(Math.abs(value)) : value)
  const [low, high] = [bend(domain[0]), bend(domain[1])]
  const pad = Math.min(PAD, box.h / 6)
  const factor = (box.h - 2 * pad) / (high - low || 1)
  return (value) => box.y + box.h - pad - (bend(value) - low) * factor
}

/** Count the samples or columns in the window: few are drawn as steps. */
function countOwn(runs: readonly Run[], from: number, to: number): number {
  let count = 0
  for (const run of runs) {
    for (const tile of run.tiles) {
      if (tile.end < from || tile.start > to) continue
      count += tile.own[1] - tile.own[0]
    }
  }
  return count
}

export function drawMetric(
  sketch: Sketch,
  lane: MetricStyle,
  runs: readonly Run[],
  box: Box,
  toX: (at: number) => number,
  domain: Domain,
  palette: Palette,
  window: Domain,
  gaps: readonly Domain[] = [],
): void {
  const y = yOf(domain, box, lane.choice.scale === 'log')
  if (domain[0] < 0) {
    sketch.fillStyle = palette['grid'] ?? ''
    sketch.fillRect(box.x, y(0), box.w, 1)
  }
  const colour = palette[`cat-${lane.choice.colour}`] ?? ''
  const few = runs.length > 0 && runs.every((run) => run.tiles.every((tile) => tile.plain))
  const step = few && countOwn(runs, -Infinity, Infinity) < 60
  const dense = countOwn(runs, ...window) > DENSE
  for (const run of runs) {
    const only = run.tiles[0]
    const inherits = run.tiles.length === 1 && only && (only.start < run.from || only.end > run.to)
    if (inherits) {
      sketch.save()
      const left = toX(run.from)
      sketch.clipTo(left, box.y, toX(run.to) - left, box.h)
    }
    if (!run.tiles.every((tile) => tile.plain)) {
      sketch.fillStyle = colour
      sketch.globalAlpha = 0.2
      band(sketch, run.tiles, window, toX, y, crossing(gaps))
      sketch.globalAlpha = 1
    }
    sketch.strokeStyle = colour
    sketch.fillStyle = colour
    // A hairline of a thousand points costs a tenth of a stroke that is a little wider.
    sketch.lineWidth = dense ? 1 : 1.25
    line(sketch, run.tiles, window, toX, y, step, crossing(gaps))
    if (inherits) sketch.restore()
  }
}

/**
 * Visits the points of successive tiles once, those inside a stretch of time and one on each side: the
 * first tile's neighbour before it counts, and the last's after.
 */
function each(
  tiles: readonly Tile[],
  [from, to]: Domain,
  visit: (tile: Tile, index: number) => void,
): void {
  tiles.forEach((tile, number) => {
    if (tile.end < from && tiles[number + 1] && (tiles[number + 1]?.start ?? 0) < from) return
    if (tile.start > to && tiles[number - 1] && (tiles[number - 1]?.end ?? 0) > to) return
    const begin = number === 0 ? 0 : tile.own[0]
    const end = number === tiles.length - 1 ? tile.at.length : tile.own[1]
    const first = Math.max(begin, firstAfter(tile.at, from) - 1)
    const last = Math.min(end, firstAfter(tile.at, to) + 1)
    for (let i = first; i < last; i++) visit(tile, i)
  })
}

type Crossing = (at: number) => boolean

/**
 * Whether most of a gap lies between this point and the one before; points come in time order. A
 * point of an inexact clock may lie a little inside of a gap.
 */
function crossing(gaps: readonly Domain[]): Crossing {
  let next = 0
  let before = -Infinity
  return (at) => {
    while (next < gaps.length && (gaps[next]?.[1] ?? 0) <= before) next++
    const gap = gaps[next]
    const between = gap ? Math.min(gap[1], at) - Math.max(gap[0], before) : 0
    before = at
    return gap !== undefined && between > (gap[1] - gap[0]) / 2
  }
}

function line(
  sketch: Sketch,
  tiles: readonly Tile[],
  window: Domain,
  toX: (at: number) => number,
  y: (value: number) => number,
  step: boolean,
  crosses: Crossing,
): void {
  sketch.beginPath()
  let drawing = false
  let length = 0
  let lastX = 0
  let lastY = 0
  const lone: [number, number][] = []
  each(tiles, window, (tile, i) => {
    const value = tile.mid[i] as number
    const at = tile.at[i] as number
    if (value !== value || crosses(at)) {
      if (drawing && length === 1) lone.push([lastX, lastY])
      drawing = false
      if (value !== value) return
    }
    const px = toX(at)
    const py = y(value)
    if (!drawing) {
      sketch.moveTo(px, py)
      length = 0
    } else {
      if (step) sketch.lineTo(px, lastY)
      sketch.lineTo(px, py)
    }
    drawing = true
    length++
    lastX = px
    lastY = py
  })
  if (drawing && length === 1) lone.push([lastX, lastY])
  sketch.stroke()
  for (const [px, py] of lone) sketch.fillRect(px - 1.5, py - 1.5, 3, 3)
}

function band(
  sketch: Sketch,
  tiles: readonly Tile[],
  window: Domain,
  toX: (at: number) => number,
  y: (value: number) => number,
  crosses: Crossing,
): void {
  sketch.beginPath()
  let xs: number[] = []
  let lows: number[] = []
  const close = () => {
    for (let i = xs.length - 1; i >= 0; i--) sketch.lineTo(xs[i] as number, lows[i] as number)
    if (xs.length > 0) sketch.closePath()
    xs = []
    lows = []
  }
  each(tiles, window, (tile, i) => {
    const high = tile.high[i] as number
    const at = tile.at[i] as number
    if (crosses(at)) close()
    if (high !== high) {
      close()
      return
    }
    const px = toX(at)
    if (xs.length === 0) sketch.moveTo(px, y(high))
    else sketch.lineTo(px, y(high))
    xs.push(px)
    lows.push(y(tile.low[i] as number))
  })
  close()
  sketch.fill()
}

/** The value of a series at an instant: its nearest point within a tolerance. */
export function valueAt(
  runs: readonly Run[],
  at: number,
  tolerance: number,
): { at: number; mid: number; low: number; high: number } | null {
  let best: { at: number; mid: number; low: number; high: number } | null = null
  let distance = tolerance
  for (const run of runs) {
    if (at < run.from - tolerance || at > run.to + tolerance) continue
    for (const tile of run.tiles) {
      const near = firstAfter(tile.at, at)
      for (const i of [near - 1, near]) {
        if (i < 0 || i >= tile.at.length) continue
        const mid = tile.mid[i] as number
        const off = Math.abs((tile.at[i] as number) - at)
        if (mid === mid && off <= distance) {
          distance = off
          const [low, high] = [tile.low[i] as number, tile.high[i] as number]
          best = { at: tile.at[i] as number, mid, low, high }
        }
      }
    }
  }
  return best
}
