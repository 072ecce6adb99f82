/**
 * What is on the screen now: range, lanes, scroll, the hovered instant. React is told of what is chosen;
 * a pan, a zoom, a scroll and a pointer only ask for the next frame, at most one per refresh.
 */
import { group } from 'd3-array'
import { onCanvas, type Sketch } from '@/charts/sketch'
import { clamped, type Interval } from '@/charts/time'
import { formatMeasured } from '@/format'
import {
  axisOf,
  type Box,
  type Domain,
  drawFoot,
  drawHeat,
  drawItems,
  drawMetric,
  extremes,
  type Palette,
  scaleOf,
  valueAt,
  yOf,
  firstAfter,
  cellReach,
} from './draw'
import { RIGHT } from './layout'
import { stack, visible } from '../model/laneStack'
import type { Item, Lane, MetricLane, Placed } from '../model/laneTypes'
import { type Fetcher, levelFor, TileStore, type Wish } from '../model/tiles'

/** Drawn beyond the visible part above and below, so that a scroll shows lanes at once. */
const OVER = 240
const COMMIT_MS = 220
const WANT_MS = 40

export type LaneValue = { readonly text: string; readonly unit: string } | null

export class TimelineView {
  range: Interval = [0, 1]
  whole: Interval = [0, 1]
  width = 800
  placed: readonly Placed[] = []
  height = 0
  hover: number | null = null
  chosen: string | null = null
  /** Per host, ms added so that the onsets lie on one another; empty: wall clock. */
  shifts: ReadonlyMap<string, number> = new Map()
  /** Seconds by which the clock of an artifact may be off, either way. */
  dispersion: ReadonlyMap<string, number> = new Map()
  private unsureItems = new WeakMap<readonly Item[], number>()
  readonly tiles: TileStore
  private onCommit: (range: Interval) => void = () => undefined
  private onTiles: (error: unknown) => void = () => undefined

  private palette: Palette = {}
  private main: HTMLCanvasElement | null = null
  private over: HTMLCanvasElement | null = null
  private mainSketch: Sketch | null = null
  private overContext: CanvasRenderingContext2D | null = null
  private scrollTop = 0
  private viewHeight = 600
  private canvasTop = 0
  private canvasHeight = 0
  private raf = 0
  private dirtyMain = false
  private dirtyOver = false
  private commitTimer: ReturnType<typeof setTimeout> | undefined
  private wantTimer: ReturnType<typeof setTimeout> | undefined
  private domains = new Map<string, Domain>()
  private moving = false
  private frames = new Set<() => void>()
  private hovers = new Set<(at: number | null) => void>()
  private heads = new Map<string, (value: LaneValue) => void>()
  private told = new Set<string>()

  constructor(fetcher: Fetcher) {
    this.tiles = new TileStore(fetcher, () => {
      this.draw()
      this.onTiles(this.tiles.error)
      this.wantSoon()
    })
  }

  dispose(): void {
    cancelAnimationFrame(this.raf)
    clearTimeout(this.commitTimer)
    clearTimeout(this.wantTimer)
  }

  // ---- what React gives

  attach(main: HTMLCanvasElement | null, over: HTMLCanvasElement | null): void {
    this.main = main
    this.over = over
    const context = main?.getContext('2d') ?? null
    this.mainSketch = context ? onCanvas(context) : null
    this.overContext = over?.getContext('2d') ?? null
    this.canvasHeight = 0
    this.draw()
  }

  setPalette(palette: Palette): void {
    this.palette = palette
    this.draw()
  }

  setLanes(lanes: readonly Lane[]): void {
    const { placed, height } = stack(lanes)
    this.placed = placed
    this.height = height
    this.domains.clear()
    this.draw()
    this.wantSoon()
  }

  setClocks(shifts: ReadonlyMap<string, number>, dispersion: ReadonlyMap<string, number>): void {
    this.shifts = shifts
    this.dispersion = dispersion
    this.unsureItems = new WeakMap()
    this.draw()
    this.wantSoon()
  }

  /** commit: told the range after it came to rest; tiles: told what failed after each answer. */
  listen(commit: (range: Interval) => void, tiles: (error: unknown) => void): void {
    this.onCommit = commit
    this.onTiles = tiles
  }

  setSize(width: number, viewHeight: number): void {
    this.width = width
    this.viewHeight = viewHeight
    this.canvasHeight = 0
    this.draw()
    this.wantSoon()
  }

  setScroll(top: number): void {
    this.scrollTop = top
    const least = this.canvasTop + (this.canvasTop > 0 ? 40 : 0)
    if (
      this.moving ||
      top < least ||
      top + this.viewHeight > this.canvasTop + this.canvasHeight - 40
    )
      this.draw()
    else if (this.hover !== null) {
      this.dirtyOver = true
      this.ask()
    }
    this.wantSoon()
  }

  /** From the address: nothing is told back. */
  showRange(range: Interval, whole: Interval): void {
    this.whole = whole
    clearTimeout(this.commitTimer)
    this.range = range
    this.domains.clear()
    this.draw()
    this.wantSoon()
  }

  // ---- what a person does

  /** Forgets a range that was not told yet: the address is about to say another. */
  forget(): void {
    clearTimeout(this.commitTimer)
    this.moving = false
  }

  /** Draws another range in the next frame and tells when it stays. */
  setRange(range: Interval): void {
    this.range = clamped(range, this.whole)
    this.moving = true
    this.draw()
    this.wantSoon()
    clearTimeout(this.commitTimer)
    this.commitTimer = setTimeout(() => {
      this.moving = false
      this.domains.clear()
      this.draw()
      this.onCommit(this.range)
    }, COMMIT_MS)
  }

  setHover(at: number | null): void {
    if (at === this.hover) return
    this.hover = at
    this.dirtyOver = true
    this.ask()
  }

  choose(key: string | null): void {
    this.chosen = key
    this.draw()
  }

  /** Called after each frame that moved the plot. */
  onFrame(listen: () => void): () => void {
    this.frames.add(listen)
    listen()
    return () => {
      this.frames.delete(listen)
    }
  }

  /** Told the instant under the pointer, once per frame. */
  onHover(listen: (at: number | null) => void): () => void {
    this.hovers.add(listen)
    listen(this.hover)
    return () => {
      this.hovers.delete(listen)
    }
  }

  /** The head of a lane, told the value at the crosshair. */
  onValue(lane: string, listen: (value: LaneValue) => void): () => void {
    this.heads.set(lane, listen)
    this.dirtyOver = true
    this.ask()
    return () => {
      if (this.heads.get(lane) === listen) this.heads.delete(lane)
    }
  }

  /** Pixels of the plot, from its left edge. */
  x(at: number): number {
    return scaleOf(this.range, { x: 0, w: this.width })(at)
  }

  time(px: number): number {
    return this.range[0] + (px / this.width) * (this.range[1] - this.range[0])
  }

  laneAt(y: number): Placed | undefined {
    return visible(this.placed, y, y + 1)[0]
  }

  shiftOf(lane: Lane): number {
    if (lane.kind === 'metric' && lane.otherIncident) return lane.otherIncident.shift
    return (lane.host !== null ? this.shifts.get(lane.host) : undefined) ?? 0
  }

  draw(): void {
    this.dirtyMain = true
    this.ask()
  }

  // ---- frames

  private ask(): void {
    if (this.raf === 0) this.raf = requestAnimationFrame(this.frame)
  }

  private readonly frame = (): void => {
    this.raf = 0
    if (this.dirtyMain) {
      this.dirtyMain = false
      this.drawMain()
      for (const listen of this.frames) listen()
      this.dirtyOver = true
    }
    if (this.dirtyOver) {
      this.dirtyOver = false
      this.drawOver()
      for (const listen of this.hovers) listen(this.hover)
    }
  }

  private place(): void {
    const { main, over } = this
    if (!main || !over) return
    const height = Math.min(this.viewHeight + 2 * OVER, Math.max(this.height, this.viewHeight))
    const most = Math.max(0, Math.max(this.height, this.viewHeight) - height)
    const top = Math.min(most, Math.max(0, Math.round(this.scrollTop - OVER)))
    const ratio = window.devicePixelRatio || 1
    const width = this.width + RIGHT
    for (const canvas of [main, over]) {
      if (this.canvasHeight !== height || canvas.width !== Math.round(width * ratio)) {
        canvas.width = Math.round(width * ratio)
        canvas.height = Math.round(height * ratio)
        canvas.style.width = `${width}px`
        canvas.style.height = `${height}px`
      }
      canvas.style.transform = `translateY(${top}px)`
      canvas.getContext('2d')?.setTransform(ratio, 0, 0, ratio, 0, 0)
    }
    this.canvasTop = top
    this.canvasHeight = height
  }

  private drawMain(): void {
    this.place()
    const sketch = this.mainSketch
    const context = this.main?.getContext('2d')
    if (!sketch || !context) return
    context.clearRect(0, 0, this.width + RIGHT, this.canvasHeight)
    // While the plot moves only what is seen is drawn; the lanes beyond come when it rests.
    const [top, bottom] = this.moving
      ? [this.scrollTop, this.scrollTop + this.viewHeight]
      : [this.canvasTop, this.canvasTop + this.canvasHeight]
    this.drawLanes(sketch, visible(this.placed, top, bottom), -this.canvasTop)
  }

  /** Draws some lanes with their extremes at the right; also what the export calls. */
  drawLanes(sketch: Sketch, shown: readonly Placed[], dy: number, palette = this.palette): void {
    const level = levelFor(this.range, this.width)
    const shared = this.sharedDomains(shown, level)
    for (const { lane, y } of shown) {
      const box: Box = { x: 0, y: y + dy, w: this.width, h: lane.height }
      const shift = this.shiftOf(lane)
      const toX = scaleOf(this.range, box, shift)
      const [from, to] = [this.range[0] - shift, this.range[1] - shift]
      drawFoot(sketch, lane, box, palette)
      if (lane.kind === 'group') continue
      sketch.save()
      sketch.clipTo(box.x, box.y, box.w, box.h)
      if (lane.kind === 'metric') {
        const { runs, whole } = this.tiles.runs(lane.id, level, from, to)
        const domain =
          lane.choice.scale === 'shared'
            ? (shared.get(lane.unit ?? '') ?? [0, 1])
            : this.domain(lane.id, extremes(runs, from, to))
        drawMetric(sketch, lane, runs, box, toX, domain, palette, [from, to])
        sketch.restore()
        this.drawEnds(sketch, lane, box, domain, runs.length > 0, whole, palette)
        continue
      }
      if (lane.kind === 'heat') drawHeat(sketch, lane, box, toX, from, palette)
      else drawItems(sketch, lane, box, toX, palette, this.chosen)
      sketch.restore()
      if (lane.kind === 'heat') {
        sketch.font = '11px "Inter Variable", Inter, sans-serif'
        sketch.fillStyle = palette['text-3'] ?? ''
        sketch.fillText(`max ${lane.row.peak}`, this.width + 6, box.y + box.h / 2 + 4)
      }
    }
  }

  /** While the plot moves a domain only grows: an axis that jumps each frame cannot be read. */
  private domain(id: string, found: Domain | null): Domain {
    const before = this.domains.get(id)
    const now = axisOf(found)
    const next: Domain =
      before && (this.moving || !found)
        ? [Math.min(before[0], now[0]), found ? Math.max(before[1], now[1]) : before[1]]
        : now
    if (found) this.domains.set(id, next)
    return next
  }

  private sharedDomains(shown: readonly Placed[], level: number): Map<string, Domain> {
    const found = new Map<string, Domain>()
    for (const { lane } of shown) {
      if (lane.kind !== 'metric' || lane.choice.scale !== 'shared') continue
      const shift = this.shiftOf(lane)
      const [from, to] = [this.range[0] - shift, this.range[1] - shift]
      const own = extremes(this.tiles.runs(lane.id, level, from, to).runs, from, to)
      const before = found.get(lane.unit ?? '')
      if (own) {
        const next: Domain = before
          ? [Math.min(before[0], own[0]), Math.max(before[1], own[1])]
          : own
        found.set(lane.unit ?? '', next)
      }
    }
    return new Map([...found].map(([unit, domain]) => [unit, axisOf(domain)]))
  }

  private drawEnds(
    sketch: Sketch,
    lane: Extract<Lane, { kind: 'metric' }>,
    box: Box,
    domain: Domain,
    any: boolean,
    whole: boolean,
    palette: Palette,
  ): void {
    sketch.font = '11px "Inter Variable", Inter, sans-serif'
    sketch.fillStyle = palette['text-3'] ?? ''
    if (!any) {
      if (lane.height > FEW) {
        sketch.fillText(whole ? 'no data in this window' : 'loading', 8, box.y + box.h / 2 + 4)
      }
      return
    }
    const left = this.width + 6
    if (lane.height < 40) {
      sketch.fillText(formatMeasured(domain[1]), left, box.y + box.h / 2 + 4)
      return
    }
    sketch.fillText(formatMeasured(domain[1]), left, box.y + 12)
    sketch.fillText(formatMeasured(domain[0]), left, box.y + box.h - 5)
    const how = lane.choice.scale === 'log' ? 'log' : lane.choice.scale === 'shared' ? 'shared' : ''
    if (how) sketch.fillText(how, left, box.y + box.h / 2 + 4)
  }

  private drawOver(): void {
    const context = this.overContext
    if (!context) return
    context.clearRect(0, 0, this.width + RIGHT, this.canvasHeight)
    const at = this.hover
    // Values of what is seen alone: a hand that moves asks for them at every frame.
    const shown = visible(this.placed, this.scrollTop, this.scrollTop + this.viewHeight)
    const told = new Set<string>()
    if (at !== null && at >= this.range[0] && at <= this.range[1]) {
      const px = Math.round(this.x(at)) + 0.5
      const level = levelFor(this.range, this.width)
      const perPixel = (this.range[1] - this.range[0]) / this.width
      for (const { lane, y } of shown) {
        const top = y - this.canvasTop
        const unsure = this.unsure(lane) / perPixel
        if (unsure >= 1) {
          context.fillStyle = this.palette['selected'] ?? ''
          context.globalAlpha = 0.7
          context.fillRect(px - unsure, top, 2 * unsure, lane.height)
          context.globalAlpha = 1
        }
        const value = this.valueOf(lane, at, level, perPixel, (dot, dy) => {
          context.fillStyle = this.palette['bg'] ?? ''
          context.strokeStyle = this.palette[`cat-${lane.choice.colour}`] ?? ''
          context.lineWidth = 1.5
          context.beginPath()
          context.arc(dot, top + dy, 3, 0, 2 * Math.PI)
          context.fill()
          context.stroke()
        })
        if (value) {
          told.add(lane.id)
          this.heads.get(lane.id)?.(value)
        }
      }
      context.fillStyle = this.palette['border'] ?? ''
      context.fillRect(px - 0.5, 0, 1, this.canvasHeight)
    }
    for (const id of this.told) if (!told.has(id)) this.heads.get(id)?.(null)
    this.told = told
  }

  private valueOf(
    lane: Lane,
    at: number,
    level: number,
    perPixel: number,
    dot: (x: number, dy: number) => void,
  ): LaneValue {
    const local = at - this.shiftOf(lane)
    if (lane.kind === 'heat') {
      const index = firstAfter(lane.at, local) - 1
      const since = local - (lane.at[index] ?? -Infinity)
      if (index < 0 || since > cellReach(lane.at)) return null
      return { text: String(lane.counts[index] ?? 0), unit: 'waiting' }
    }
    if (lane.kind !== 'metric') return null
    const shift = this.shiftOf(lane)
    const [from, to] = [this.range[0] - shift, this.range[1] - shift]
    const { runs } = this.tiles.runs(lane.id, level, from, to)
    const found = valueAt(runs, local, Math.max(1500, 24 * perPixel))
    if (!found) return null
    const domain = this.domains.get(lane.id)
    if (domain && lane.choice.scale !== 'shared') {
      const box = { x: 0, y: 0, w: this.width, h: lane.height }
      dot(this.x(found.at + shift), yOf(domain, box, lane.choice.scale === 'log')(found.mid))
    }
    const [low, high] = [formatMeasured(found.low), formatMeasured(found.high)]
    const text = low === high ? formatMeasured(found.mid) : `${low}–${high}`
    return { text, unit: lane.unit ?? '' }
  }

  /** How far the clock of an artifact may be off either way, ms. */
  unsureOf(artifact: string | null | undefined): number {
    return 1000 * ((artifact && this.dispersion.get(artifact)) || 0)
  }

  /** The same of a lane: of marks from several artifacts the largest. */
  unsure(lane: Lane): number {
    if (lane.kind === 'metric') return this.unsureOf(lane.series.artifact)
    if (!('items' in lane)) return 0
    let found = this.unsureItems.get(lane.items)
    if (found === undefined) {
      const sources = new Set(lane.items.map((item) => item.source))
      found = Math.max(0, ...[...sources].map((source) => this.unsureOf(source)))
      this.unsureItems.set(lane.items, found)
    }
    return found
  }

  // ---- data

  private wantSoon(): void {
    this.wantTimer ??= setTimeout(() => {
      this.wantTimer = undefined
      this.want()
    }, WANT_MS)
  }

  /** The tiles of some lanes over a stretch of time: one wish per incident and stretch of its own. */
  private wish(lanes: readonly MetricLane[], from: number, to: number): Wish[] {
    const level = levelFor(this.range, this.width)
    const groups = group(
      lanes,
      (lane) => this.shiftOf(lane),
      (lane) => lane.otherIncident?.incident,
    )
    return [...groups].flatMap(([shift, incidents]) =>
      [...incidents.values()].map((some) => ({
        series: some.map((lane) => lane.id),
        level,
        from: Math.max(this.whole[0], from) - shift,
        to: Math.min(this.whole[1], to) - shift,
      })),
    )
  }

  /** Waits until every lane is held over the range, also those out of sight: for the export. */
  async loadAll(): Promise<void> {
    const lanes = this.placed.flatMap(({ lane }) => (lane.kind === 'metric' ? [lane] : []))
    await this.tiles.load(this.wish(lanes, ...this.range))
  }

  private want(): void {
    const ids = (top: number, bottom: number, pinnedTo: (lane: Lane) => boolean = () => true) =>
      visible(this.placed, top, bottom).flatMap(({ lane }) =>
        lane.kind === 'metric' && pinnedTo(lane) ? [lane] : [],
      )
    const span = this.range[1] - this.range[0]
    const here = ids(this.scrollTop, this.scrollTop + this.viewHeight)
    const [from, to] = this.range
    const wishes = [
      ...this.wish(here, from, to),
      ...(from > this.whole[0] ? this.wish(here, from - span, from) : []),
      ...(to < this.whole[1] ? this.wish(here, to, to + span) : []),
      ...this.wish(
        ids(this.scrollTop + this.viewHeight, this.scrollTop + 2 * this.viewHeight),
        from,
        to,
      ),
      ...this.wish(ids(this.scrollTop - this.viewHeight, this.scrollTop), from, to),
    ]
    this.tiles.want(
      wishes.filter((one) => one.to > one.from && one.series.length > 0),
      performance.now(),
    )
  }
}

const FEW = 24
