/** Draws lanes on a sketch: pure from data, range and colours; a canvas per frame, an SVG for export. */
import { cut, type Sketch } from '@/charts/sketch'
import type { Interval } from '@/charts/time'
import type { HeatLane, Item, ItemLane, Lane, MetricLane } from '../model/laneTypes'
import type { Run, Tile } from '../model/tiles'

export type Palette = Readonly<Record<string, string>>
/** The tokens that a drawing uses. */
export const TOKENS = [
  'bg', 'chrome', 'line', 'grid', 'axis', 'text', 'text-2', 'text-3', 'accent', 'selected',
  'waiting', 'holding', 'running', 'idle', 'waiting-tint', 'holding-tint', 'running-tint',
  'idle-tint', 'stall-band', 'active', 'border',
  'cat-1', 'cat-2', 'cat-3', 'cat-4', 'cat-5', 'cat-6', 'cat-7',
  'heat-0', 'heat-1', 'heat-2', 'heat-3', 'heat-4', 'heat-5',
] as const // prettier-ignore

export type Box = { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
export type Domain = readonly [number, number]

const PAD = 5
const DENSE = 300
const UI = 'px "Inter Variable", Inter, sans-serif'

/** Pixels of the plot from times; `shift` is added to a lane's own times (hosts aligned at onset). */
export function scaleOf(range: Interval, box: Pick<Box, 'x' | 'w'>, shift = 0) {
  const factor = box.w / (range[1] - range[0])
  return (at: number) => box.x + (at + shift - range[0]) * factor
}

/** Extremes of what is drawn inside a window; null when nothing is. */
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

/** The domain of an axis: from zero (or the minimum below it) to the maximum. */
export function axisOf(found: Domain | null): Domain {
  if (!found) return [0, 1]
  const low = Math.min(0, found[0])
  const high = Math.max(0, found[1])
  return high === low ? [low, low + 1] : [low, high]
}

export function yOf(domain: Domain, box: Box, log: boolean): (value: number) => number {
  const bend = (value: number) => (log ? Math.sign(value) * Math.log1p(Math.abs(value)) : value)
  const [low, high] = [bend(domain[0]), bend(domain[1])]
  const pad = Math.min(PAD, box.h / 6)
  const factor = (box.h - 2 * pad) / (high - low || 1)
  return (value) => box.y + box.h - pad - (bend(value) - low) * factor
}

/** How many samples or columns lie in the window: few are drawn as steps. */
export function countOwn(runs: readonly Run[], from: number, to: number): number {
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
  lane: MetricLane,
  runs: readonly Run[],
  box: Box,
  toX: (at: number) => number,
  domain: Domain,
  palette: Palette,
  window: Domain,
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
      band(sketch, run.tiles, window, toX, y)
      sketch.globalAlpha = 1
    }
    sketch.strokeStyle = colour
    sketch.fillStyle = colour
    // A hairline of a thousand points costs a tenth of a stroke that is a little wider.
    sketch.lineWidth = dense ? 1 : 1.25
    line(sketch, run.tiles, window, toX, y, step)
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

function line(
  sketch: Sketch,
  tiles: readonly Tile[],
  window: Domain,
  toX: (at: number) => number,
  y: (value: number) => number,
  step: boolean,
): void {
  sketch.beginPath()
  let drawing = false
  let length = 0
  let lastX = 0
  let lastY = 0
  const lone: [number, number][] = []
  each(tiles, window, (tile, i) => {
    const value = tile.mid[i] as number
    if (value !== value) {
      if (drawing && length === 1) lone.push([lastX, lastY])
      drawing = false
      return
    }
    const px = toX(tile.at[i] as number)
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
    if (high !== high) {
      close()
      return
    }
    const px = toX(tile.at[i] as number)
    if (xs.length === 0) sketch.moveTo(px, y(high))
    else sketch.lineTo(px, y(high))
    xs.push(px)
    lows.push(y(tile.low[i] as number))
  })
  close()
  sketch.fill()
}

const HEAT = ['heat-1', 'heat-2', 'heat-3', 'heat-4', 'heat-5'] as const

/** Cells from snapshot to snapshot, at most a minute or three usual distances long; zero is faint. */
export function drawHeat(
  sketch: Sketch,
  lane: HeatLane,
  box: Box,
  toX: (at: number) => number,
  from: number,
  palette: Palette,
): void {
  const { at, counts } = lane
  const reach = cellReach(at)
  const top = box.y + 2
  const height = Math.max(4, box.h - 4)
  let i = firstAfter(at, from - reach)
  for (; i < at.length; i++) {
    const begin = at[i] as number
    const left = Math.max(box.x, toX(begin))
    if (left > box.x + box.w) break
    const next = i + 1 < at.length ? (at[i + 1] as number) : begin + reach
    const right = Math.min(box.x + box.w, toX(Math.min(next, begin + reach)))
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

/** How long one snapshot stands for in ms: till the next, but not over a hole. */
export function cellReach(at: Float64Array): number {
  if (at.length < 2) return 1000
  const steps = Array.from(at.subarray(1), (time, i) => time - (at[i] as number)).sort(
    (a, b) => a - b,
  )
  return Math.max(1000, Math.min(60_000, 3 * (steps[steps.length >> 1] ?? 1000)))
}

export function drawItems(
  sketch: Sketch,
  lane: ItemLane,
  box: Box,
  toX: (at: number) => number,
  palette: Palette,
  chosen: string | null,
): void {
  if (lane.kind === 'snapshots') drawTicks(sketch, lane, box, toX, palette, chosen)
  else if (lane.kind === 'events') drawGlyphs(sketch, lane, box, toX, palette, chosen)
  else drawSpans(sketch, lane, box, toX, palette, chosen)
}

/** One bar per few pixels, as tall as the largest in it. */
function drawTicks(
  sketch: Sketch,
  lane: ItemLane,
  box: Box,
  toX: (at: number) => number,
  palette: Palette,
  chosen: string | null,
): void {
  const tallest = strongest(lane.items, box, toX, 4, chosen, (item) => item.weight ?? 0)
  for (const item of tallest) {
    const height = 4 + (item.weight ?? 0) * (box.h - 8)
    sketch.fillStyle = palette[item.key === chosen ? 'accent' : item.tone] ?? ''
    sketch.fillRect(toX(item.start) - 1.5, box.y + box.h - height - 1, 3, height)
  }
}

function drawGlyphs(
  sketch: Sketch,
  lane: ItemLane,
  box: Box,
  toX: (at: number) => number,
  palette: Palette,
  chosen: string | null,
): void {
  sketch.font = `10${UI}`
  sketch.textAlign = 'center'
  const gravest = strongest(lane.items, box, toX, 8, chosen, (item) => GRAVITY[item.tone])
  for (const item of gravest) {
    sketch.fillStyle = palette[item.key === chosen ? 'accent' : item.tone] ?? ''
    sketch.fillText(item.glyph ?? '•', toX(item.start), box.y + box.h / 2 + 4)
  }
  sketch.textAlign = 'left'
}

/** One item per so many pixels: the chosen one, else the first of the greatest weight. */
function strongest(
  items: readonly Item[],
  box: Box,
  toX: (at: number) => number,
  pixels: number,
  chosen: string | null,
  weight: (item: Item) => number,
): Iterable<Item> {
  const columns = new Map<number, Item>()
  for (const item of items) {
    const px = toX(item.start)
    if (px < box.x - 5 || px > box.x + box.w + 5) continue
    const column = Math.round(px / pixels)
    const before = columns.get(column)
    if (before && before.key === chosen) continue
    if (!before || item.key === chosen || weight(item) > weight(before)) columns.set(column, item)
  }
  return columns.values()
}

const GRAVITY = { idle: 0, running: 1, accent: 1, waiting: 2, holding: 3 } as const

function drawSpans(
  sketch: Sketch,
  lane: ItemLane,
  box: Box,
  toX: (at: number) => number,
  palette: Palette,
  chosen: string | null,
): void {
  const row = Math.max(4, (box.h - 6) / lane.rows)
  const height = Math.max(3, row - 2)
  for (const item of lane.items) {
    const begin = toX(item.start)
    const end = Math.max(toX(item.end), begin + 3)
    if (end < box.x || begin > box.x + box.w) continue
    const left = Math.max(box.x, begin)
    const right = Math.min(box.x + box.w, end)
    const top = box.y + 3 + item.row * row
    const isPoint = item.start === item.end
    sketch.fillStyle =
      palette[item.tone === 'accent' ? 'selected' : `${item.tone}-tint`] ?? palette['active'] ?? ''
    sketch.fillRect(left, top, right - left, height)
    sketch.fillStyle = palette[item.tone] ?? ''
    sketch.fillRect(left, top, 2, height)
    if (item.key === chosen) {
      sketch.strokeStyle = palette['accent'] ?? ''
      sketch.lineWidth = 1.5
      outline(sketch, left, top, right - left, height)
    }
    if (item.open) {
      for (let at = 0; at < height; at += 4) sketch.fillRect(right - 2, top + at, 2, 2)
    }
    if (height < 10) continue
    sketch.font = `11${UI}`
    sketch.fillStyle = palette['text'] ?? ''
    const next = toX(item.until ?? Infinity)
    const room = isPoint
      ? Math.min(180, box.x + box.w - right - 4, next - right - 6)
      : Math.min(right - left - 8, next - left - 8)
    const text = cut(item.label, room, (part) => sketch.measure(part))
    if (text) sketch.fillText(text, isPoint ? right + 3 : left + 5, top + height / 2 + 4)
  }
}

function outline(sketch: Sketch, x: number, y: number, w: number, h: number): void {
  sketch.beginPath()
  sketch.moveTo(x, y)
  sketch.lineTo(x + w, y)
  sketch.lineTo(x + w, y + h)
  sketch.lineTo(x, y + h)
  sketch.closePath()
  sketch.stroke()
}

/** Hairline under a lane. */
export function drawFoot(sketch: Sketch, lane: Lane, box: Box, palette: Palette): void {
  if (lane.kind === 'group') {
    sketch.fillStyle = palette['chrome'] ?? ''
    sketch.fillRect(box.x, box.y, box.w, box.h)
  }
  sketch.fillStyle = palette['line'] ?? ''
  sketch.fillRect(box.x, box.y + box.h - 1, box.w, 1)
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
