/**
 * What the timeline shows now: range, lanes, scroll, the hovered instant. A pan, a zoom, a scroll and a
 * pointer only request the next frame, at most one per refresh; React learns what stays.
 */
import { scaleOf } from '@/charts/laneBox'
import type { Palette } from '@/charts/palette'
import type { Sketch } from '@/charts/sketch'
import { animate, rangesBetween, stopMotion } from '@/charts/motion'
import { clamped, type Interval } from '@/charts/range'
import { stack, visible } from '../model/laneStack'
import type { Lane, Placed } from '../model/laneTypes'
import { Captured } from '../model/captured'
import type { Focus } from '../model/marks'
import { type Fetcher, TileStore } from '../model/tiles'
import { CanvasPair } from './canvasPair'
import { ClockShifts } from './clockShifts'
import { Crosshair, type LaneValue } from './crosshair'
import { LanePainter } from './lanePainter'
import { RIGHT } from './layout'
import type { Scene } from './scene'
import { metricLanes, tilesInNeed, tilesOver } from './tileRequests'

/** Ranges whose edges differ by less are the same, ms: the address has whole milliseconds. */
const SAME_MS = 1
/** A range that rests this long is committed to the address. */
const COMMIT_MS = 220
const REQUEST_TILES_MS = 40

export class TimelineView implements Scene {
  range: Interval = [0, 1]
  whole: Interval = [0, 1]
  width = 800
  placed: readonly Placed[] = []
  height = 0
  hover: number | null = null
  chosen: string | null = null
  moving = false
  clocks = new ClockShifts()
  captured = new Captured()
  focus: readonly Focus[] = []
  readonly tiles: TileStore

  /** Where a motion leads; null while nothing jumps. */
  private target: Interval | null = null
  private onCommit: (range: Interval) => void = () => undefined
  private onTiles: (error: unknown) => void = () => undefined
  private palette: Palette = {}
  private scrollTop = 0
  private viewHeight = 600
  private frameRequest = 0
  private lanesAreStale = false
  private crosshairIsStale = false
  private commitTimer: ReturnType<typeof setTimeout> | undefined
  private tilesTimer: ReturnType<typeof setTimeout> | undefined
  private readonly canvases = new CanvasPair()
  private readonly painter = new LanePainter()
  private readonly crosshair = new Crosshair(this.painter)
  private readonly frameListeners = new Set<() => void>()
  private readonly hoverListeners = new Set<(at: number | null) => void>()

  constructor(fetcher: Fetcher) {
    this.tiles = new TileStore(fetcher, () => {
      this.draw()
      this.onTiles(this.tiles.error)
      this.requestTiles()
    })
  }

  dispose(): void {
    cancelAnimationFrame(this.frameRequest)
    this.stop()
    clearTimeout(this.commitTimer)
    clearTimeout(this.tilesTimer)
  }

  // ---- what React sets

  attach(main: HTMLCanvasElement | null, over: HTMLCanvasElement | null): void {
    this.canvases.attach(main, over)
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
    this.painter.forgetDomains()
    this.draw()
    this.requestTiles()
  }

  setClocks(shifts: ReadonlyMap<string, number>, dispersion: ReadonlyMap<string, number>): void {
    this.clocks = new ClockShifts(shifts, dispersion)
    this.draw()
    this.requestTiles()
  }

  /** captured: when servers were observed; focus: what the value axes are clipped to. */
  setCaptured(captured: Captured, focus: readonly Focus[]): void {
    this.captured = captured
    this.focus = focus
    this.painter.forgetDomains()
    this.draw()
  }

  /** commit: gets a range that came to rest; tiles: gets what failed, or null, after each answer. */
  listen(commit: (range: Interval) => void, tiles: (error: unknown) => void): void {
    this.onCommit = commit
    this.onTiles = tiles
  }

  setSize(width: number, viewHeight: number): void {
    this.width = width
    this.viewHeight = viewHeight
    this.canvases.height = 0
    this.draw()
    this.requestTiles()
  }

  setScroll(top: number): void {
    this.scrollTop = top
    if (this.moving || !this.canvases.covers(top, this.viewHeight)) this.draw()
    else if (this.hover !== null) this.drawCrosshair()
    this.requestTiles()
  }

  /** Show a range of the address: it is not committed back. Another one of the same capture is jumped to. */
  showRange(range: Interval, whole: Interval): void {
    const jumps = isSame(whole, this.whole) && !isSame(range, this.range)
    this.stop()
    this.whole = whole
    clearTimeout(this.commitTimer)
    if (jumps) this.travel(range, () => this.rest())
    else {
      this.range = range
      this.rest()
    }
  }

  choose(key: string | null): void {
    this.chosen = key
    this.draw()
  }

  // ---- what a person does

  /** Drop a range that was not committed yet: the address is about to change it. */
  forget(): void {
    this.stop()
    clearTimeout(this.commitTimer)
    this.moving = false
  }

  /** Draw another range in the next frame and commit it once it rests. */
  setRange(range: Interval): void {
    this.stop()
    this.follow(range)
    clearTimeout(this.commitTimer)
    this.commitTimer = setTimeout(() => {
      this.rest()
      this.onCommit(this.range)
    }, COMMIT_MS)
  }

  /** Go to another range in one motion, then commit it. Keys that repeat take setRange: it never lags. */
  jumpTo(range: Interval): void {
    clearTimeout(this.commitTimer)
    const target = clamped(range, this.whole)
    this.travel(target, () => this.setRange(target))
  }

  setHover(at: number | null): void {
    if (at === this.hover) return
    this.hover = at
    this.drawCrosshair()
  }

  // ---- who follows

  /** Call `listener` now and after each frame that moved the plot; returns how to stop. */
  onFrame(listener: () => void): () => void {
    this.frameListeners.add(listener)
    listener()
    return () => {
      this.frameListeners.delete(listener)
    }
  }

  /** Call `listener` with the instant under the pointer, once per frame. */
  onHover(listener: (at: number | null) => void): () => void {
    this.hoverListeners.add(listener)
    listener(this.hover)
    return () => {
      this.hoverListeners.delete(listener)
    }
  }

  /** Call `listener` with the value of a lane at the crosshair. */
  onValue(lane: string, listener: (value: LaneValue) => void): () => void {
    const stop = this.crosshair.listen(lane, listener)
    this.drawCrosshair()
    return stop
  }

  // ---- geometry

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
    return this.clocks.shiftOf(lane)
  }

  // ---- frames

  draw(): void {
    this.lanesAreStale = true
    this.requestFrame()
  }

  private drawCrosshair(): void {
    this.crosshairIsStale = true
    this.requestFrame()
  }

  private requestFrame(): void {
    if (this.frameRequest === 0) this.frameRequest = requestAnimationFrame(this.paintFrame)
  }

  private readonly paintFrame = (): void => {
    this.frameRequest = 0
    if (this.lanesAreStale) {
      this.lanesAreStale = false
      this.paintLanes()
      for (const listener of this.frameListeners) listener()
      this.crosshairIsStale = true
    }
    if (this.crosshairIsStale) {
      this.crosshairIsStale = false
      this.paintCrosshair()
      for (const listener of this.hoverListeners) listener(this.hover)
    }
  }

  private paintLanes(): void {
    const { canvases, scrollTop, viewHeight } = this
    canvases.place(this.width + RIGHT, this.height, scrollTop, viewHeight)
    const sketch = canvases.cleared(this.width + RIGHT)
    if (!sketch) return
    // While the plot moves only what is in sight is drawn; the lanes beyond follow when it rests.
    const [top, bottom] = this.moving
      ? [scrollTop, scrollTop + viewHeight]
      : [canvases.top, canvases.top + canvases.height]
    this.drawLanes(sketch, visible(this.placed, top, bottom), -canvases.top)
  }

  /** Draw lanes with their extremes at the right; exports call this too. */
  drawLanes(sketch: Sketch, shown: readonly Placed[], dy: number, palette = this.palette): void {
    this.painter.paint(sketch, this, shown, dy, palette)
  }

  private paintCrosshair(): void {
    const { canvases } = this
    canvases.overContext?.clearRect(0, 0, this.width + RIGHT, canvases.height)
    // Only of what is in sight: a moving pointer requests the values in every frame.
    const shown = visible(this.placed, this.scrollTop, this.scrollTop + this.viewHeight)
    this.crosshair.paint(canvases, this, shown, this.hover, this.palette)
  }

  /** Draw a range on the way to another. */
  private follow(range: Interval): void {
    this.range = clamped(range, this.whole)
    this.moving = true
    this.draw()
    this.requestTiles()
  }

  private rest(): void {
    this.moving = false
    this.painter.forgetDomains()
    this.draw()
    this.requestTiles()
  }

  /** Move to a range; only its tiles are requested, not those on the way. */
  private travel(target: Interval, arrive: () => void): void {
    const between = rangesBetween(this.range, target)
    this.target = target
    animate(this.canvases.main, (share) => {
      this.follow(between(share))
      if (share < 1) return
      this.target = null
      arrive()
    })
  }

  private stop(): void {
    if (!this.target) return
    this.target = null
    stopMotion(this.canvases.main)
  }

  // ---- data

  private requestTiles(): void {
    this.tilesTimer ??= setTimeout(() => {
      this.tilesTimer = undefined
      const bottom = this.scrollTop + this.viewHeight
      const { width, whole, clocks, range } = this
      const scene = { width, whole, clocks, range: this.target ?? range }
      const wishes = tilesInNeed(scene, this.placed, this.scrollTop, bottom)
      this.tiles.want(wishes, performance.now())
    }, REQUEST_TILES_MS)
  }

  /** Load every lane over the range, also those out of sight: for an export. */
  async loadAll(): Promise<void> {
    await this.tiles.load(tilesOver(this, metricLanes(this.placed), ...this.range))
  }
}

const isSame = (a: Interval, b: Interval): boolean =>
  Math.abs(a[0] - b[0]) < SAME_MS && Math.abs(a[1] - b[1]) < SAME_MS
