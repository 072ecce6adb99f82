/** Draws marks in time: ticks of snapshots, glyphs of events, bars of what lasted. */
import type { Box } from './laneBox'
import { type Interval, withoutGaps } from './range'
import type { Palette } from './palette'
import { cut, type Sketch } from './sketch'

export type Mark = {
  readonly key: string
  readonly start: number
  readonly end: number
  readonly label: string
  readonly tone: 'waiting' | 'holding' | 'running' | 'idle' | 'accent'
  readonly glyph?: string
  /** 0..1 of the tallest, for ticks. */
  readonly weight?: number
  /** Row inside the lane, from the top. */
  readonly row: number
  /** The end is not known: it goes on where the capture ends. */
  readonly open?: boolean
  /** Not measured by the capture, so not interrupted where it has a gap. */
  readonly uncut?: boolean
  /** Where the next of its row begins: a label ends there. */
  readonly until?: number
}

type MarkLane = {
  readonly kind: 'spans' | 'events' | 'snapshots' | 'notes'
  readonly items: readonly Mark[]
  readonly rows: number
}

const UI = 'px "Inter Variable", Inter, sans-serif'

export function drawMarks(
  sketch: Sketch,
  lane: MarkLane,
  box: Box,
  toX: (at: number) => number,
  palette: Palette,
  chosen: string | null,
  gaps: readonly Interval[] = [],
): void {
  if (lane.kind === 'snapshots') drawTicks(sketch, lane, box, toX, palette, chosen)
  else if (lane.kind === 'events') drawGlyphs(sketch, lane, box, toX, palette, chosen)
  else drawSpans(sketch, lane, box, toX, palette, chosen, lane.kind === 'spans' ? gaps : [])
}

/** One bar per few pixels, as tall as the largest in it. */
function drawTicks(
  sketch: Sketch,
  lane: MarkLane,
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
  lane: MarkLane,
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
  items: readonly Mark[],
  box: Box,
  toX: (at: number) => number,
  pixels: number,
  chosen: string | null,
  weight: (item: Mark) => number,
): Iterable<Mark> {
  const columns = new Map<number, Mark>()
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
  lane: MarkLane,
  box: Box,
  toX: (at: number) => number,
  palette: Palette,
  chosen: string | null,
  gaps: readonly Interval[],
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
    for (const [from, to] of pieces(item, gaps)) {
      const [first, last] = [Math.max(box.x, toX(from)), Math.min(box.x + box.w, toX(to))]
      if (last >= first) sketch.fillRect(first, top, Math.max(last - first, 3), height)
    }
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

/** What is drawn of a span: nothing across a gap. */
const pieces = (item: Mark, gaps: readonly Interval[]): readonly Interval[] =>
  item.uncut || item.start === item.end
    ? [[item.start, item.end]]
    : withoutGaps([item.start, item.end], gaps)

function outline(sketch: Sketch, x: number, y: number, w: number, h: number): void {
  sketch.beginPath()
  sketch.moveTo(x, y)
  sketch.lineTo(x + w, y)
  sketch.lineTo(x + w, y + h)
  sketch.lineTo(x, y + h)
  sketch.closePath()
  sketch.stroke()
}
