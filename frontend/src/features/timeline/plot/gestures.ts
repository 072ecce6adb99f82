/**
 * The pointer on the plot. Shift, the middle button or a drag of the axis pans, Ctrl + wheel zooms and
 * a sideways wheel pans (d3-zoom, charts/zoom); a drag brushes a range, a click selects a mark, a
 * double click shows everything. None of it renders React.
 */
import { AXIS_HEIGHT } from '@/charts/TimeAxis'
import { MIN_SPAN_MS } from '@/charts/range'
import { bindTimeZoom } from '@/charts/zoom'
import { formatDuration } from '@/format'
import { itemAt } from '../model/laneStack'
import type { Item, Lane } from '../model/laneTypes'
import { LEFT } from './layout'
import type { TimelineView } from './view'

export type PlotActions = {
  readonly onPick: (item: Item | null, lane: Lane) => void
  readonly onOpen: (item: Item) => void
  readonly onWhole: () => void
}

export type PlotElements = {
  readonly scroller: HTMLElement
  readonly brush: HTMLElement
  readonly tip: HTMLElement
}

/** A drag of at most so many pixels is a click. */
const CLICK = 4
const CONTROLS = 'button, a, input, [role="slider"], .tl-head'

/** Bind all gestures; `actions` is read at each event. Returns how to unbind them. */
export function bindGestures(
  elements: PlotElements,
  view: TimelineView,
  actions: () => PlotActions,
): () => void {
  const { scroller } = elements
  const unbindZoom = bindTimeZoom(scroller, {
    plot: () => ({ left: LEFT, width: view.width }),
    range: () => view.range,
    whole: () => view.whole,
    setRange: (range) => view.setRange(range),
    pans: (event) => pans(event, scroller, view),
    zooms: (event) => event.ctrlKey,
  })
  const brush = new PlotPointer(elements, view, actions)
  const listeners = {
    pointerdown: brush.down,
    pointermove: brush.move,
    pointerup: brush.up,
    pointercancel: brush.leave,
    pointerleave: brush.leave,
    dblclick: brush.double,
  } as const
  for (const [name, listener] of Object.entries(listeners)) {
    scroller.addEventListener(name, listener as EventListener)
  }
  return () => {
    unbindZoom()
    for (const [name, listener] of Object.entries(listeners)) {
      scroller.removeEventListener(name, listener as EventListener)
    }
  }
}

/** Whether a press pans: on the axis, with Shift, or with the middle button. */
function pans(event: MouseEvent | TouchEvent, scroller: HTMLElement, view: TimelineView): boolean {
  const place = 'touches' in event ? event.touches[0] : event
  if (!place || isControl(event.target)) return false
  const { inside, onAxis } = placeOf(place, scroller, view)
  if (!inside || 'touches' in event) return inside && onAxis
  return event.button === 1 || (event.button === 0 && (onAxis || event.shiftKey))
}

const isControl = (target: EventTarget | null) =>
  target instanceof Element && target.closest(CONTROLS) !== null

/** A place in the plot: x from its left edge, y from the top of the stack of lanes. */
function placeOf(
  at: { readonly clientX: number; readonly clientY: number },
  scroller: HTMLElement,
  view: TimelineView,
) {
  const box = scroller.getBoundingClientRect()
  const x = at.clientX - box.left - LEFT
  const y = at.clientY - box.top - AXIS_HEIGHT
  return { x, y: y + scroller.scrollTop, onAxis: y < 0, inside: x >= 0 && x <= view.width }
}

/**
 * Brush, click and hover. The brush is not d3-brush: that one cancels every touchmove, and the lanes
 * could no longer be scrolled by touch (docs/adr/0007).
 */
class PlotPointer {
  /** Where a drag began, pixels of the plot. */
  private from: number | null = null

  constructor(
    private readonly elements: PlotElements,
    private readonly view: TimelineView,
    private readonly actions: () => PlotActions,
  ) {}

  readonly down = (event: PointerEvent): void => {
    const { scroller } = this.elements
    const { x, inside, onAxis } = this.place(event)
    if (event.button !== 0 || event.shiftKey || onAxis || !inside || isControl(event.target)) return
    this.from = x
    scroller.setPointerCapture(event.pointerId)
  }

  readonly move = (event: PointerEvent): void => {
    const { view } = this
    const { brush, tip } = this.elements
    const { x, y, inside, onAxis } = this.place(event)
    if (this.from === null) {
      if (event.buttons !== 0) return
      view.setHover(inside ? view.time(x) : null)
      if (inside && !onAxis) this.showTip(x, y)
      else tip.hidden = true
      return
    }
    const to = this.clamp(x)
    view.setHover(view.time(to))
    brush.hidden = Math.abs(to - this.from) <= CLICK
    brush.style.transform = `translateX(${Math.min(this.from, to)}px)`
    brush.style.width = `${Math.abs(to - this.from)}px`
  }

  readonly up = (event: PointerEvent): void => {
    if (this.from === null) return
    const { view, from } = this
    this.from = null
    this.elements.brush.hidden = true
    const { x, y } = this.place(event)
    const to = this.clamp(x)
    if (Math.abs(to - from) <= CLICK) {
      this.click(to, y)
      return
    }
    const [left, right] = [view.time(Math.min(from, to)), view.time(Math.max(from, to))]
    view.jumpTo([left, Math.max(right, left + MIN_SPAN_MS)])
  }

  readonly leave = (): void => {
    this.from = null
    this.elements.brush.hidden = true
    this.elements.tip.hidden = true
    this.view.setHover(null)
  }

  readonly double = (event: MouseEvent): void => {
    const { x, y, inside } = this.place(event)
    if (inside && !this.hit(x, y)?.item) this.actions().onWhole()
  }

  private click(x: number, y: number): void {
    const hit = this.hit(x, y)
    if (!hit) return
    if (hit.item && hit.item.key === this.view.chosen) this.actions().onOpen(hit.item)
    this.actions().onPick(hit.item, hit.lane)
  }

  private place(event: MouseEvent) {
    return placeOf(event, this.elements.scroller, this.view)
  }

  private clamp(x: number): number {
    return Math.min(this.view.width, Math.max(0, x))
  }

  /** The lane at a place, and the mark of it that is near. */
  private hit(x: number, y: number): { item: Item | null; lane: Lane } | null {
    const { view } = this
    const placed = view.laneAt(y)
    if (!placed) return null
    const { lane } = placed
    if (!('items' in lane)) return { item: null, lane }
    const msPerPixel = (view.range[1] - view.range[0]) / view.width
    const row =
      lane.rows > 1 ? Math.floor((y - placed.y - 3) / ((lane.height - 6) / lane.rows)) : null
    const at = view.time(x) - view.shiftOf(lane)
    return { item: itemAt(lane.items, at, row, 6 * msPerPixel), lane }
  }

  private showTip(x: number, y: number): void {
    const { tip, scroller } = this.elements
    const { view } = this
    const item = this.hit(x, y)?.item
    tip.hidden = !item
    scroller.style.cursor = item ? 'pointer' : ''
    if (!item) return
    const unsure = view.clocks.uncertaintyOfArtifact(item.source)
    const clock = unsure >= 1 ? ` (clock ± ${formatDuration(unsure / 1000)})` : ''
    tip.textContent = `${item.label}${clock}`
    const left = Math.min(view.width - 320, Math.max(0, x + 10))
    tip.style.transform = `translate(${left}px, ${y + 14}px)`
  }
}
