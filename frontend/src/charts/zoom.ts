/**
 * Zoom and pan of a time range with d3-zoom: drag, wheel, pinch. The caller owns the range; d3-zoom
 * gets it before each gesture, so that keys, buttons and the address can change it in between.
 */
import { select } from 'd3-selection'
import { type D3ZoomEvent, zoom, zoomIdentity } from 'd3-zoom'
import { MIN_SPAN_MS, panned, type Interval } from './range'
import { timeScale } from './time'

type TimeZoom = {
  /** Where the plot is inside the element, in the element's own coordinates. */
  readonly plot: () => { readonly left: number; readonly width: number }
  readonly range: () => Interval
  readonly whole: () => Interval
  readonly setRange: (range: Interval) => void
  /** Whether a press or a touch pans; other presses are left to other listeners. */
  readonly pans: (event: MouseEvent | TouchEvent) => boolean
  /** Whether a wheel zooms. */
  readonly zooms: (event: WheelEvent) => boolean
  /** The power of two by which a wheel zooms in; `smoothWheel` by default. */
  readonly wheelDelta?: (event: WheelEvent) => number
  readonly minSpanMs?: number
}

/** 300 pixels of a wheel zoom by e. */
const smoothWheel = (event: WheelEvent): number => -event.deltaY / (300 * Math.LN2)

/** Bind the gestures to an element; returns how to unbind them. */
export function bindTimeZoom(element: HTMLElement | SVGSVGElement, options: TimeZoom): () => void {
  const { range, whole, setRange, pans, zooms, minSpanMs = MIN_SPAN_MS } = options
  const base = () => {
    const { left, width } = options.plot()
    return timeScale(whole(), width).range([left, left + width])
  }
  const behaviour = zoom<HTMLElement | SVGSVGElement, unknown>()
    .filter((event: Event) =>
      event instanceof WheelEvent ? zooms(event) : pans(event as MouseEvent | TouchEvent),
    )
    .wheelDelta(options.wheelDelta ?? smoothWheel)
    .on('zoom', (event: D3ZoomEvent<Element, unknown>) => {
      if (!event.sourceEvent) return
      const [start, end] = event.transform.rescaleX(base()).domain()
      if (start && end) setRange([Number(start), Number(end)])
    })
  const selection = select<HTMLElement | SVGSVGElement, unknown>(element)
  /** Hand the shown range to d3-zoom; an event without a source is not reported back. */
  const sync = () => {
    const { left, width } = options.plot()
    const [first, last] = whole()
    const [start, end] = range()
    behaviour
      .extent([
        [left, 0],
        [left + width, 1],
      ])
      .translateExtent([
        [left, -Infinity],
        [left + width, Infinity],
      ])
      .scaleExtent([1, Math.max(1, (last - first) / minSpanMs)])
    const k = (last - first) / (end - start)
    const x = left - k * Number(base()(start))
    behaviour.transform(selection, zoomIdentity.translate(x, 0).scale(k))
  }
  const wheel = (event: WheelEvent) => {
    if (zooms(event)) {
      // Also at the limits of the zoom, where d3-zoom leaves the event to the browser.
      event.preventDefault()
      sync()
    } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      // d3-zoom knows no sideways wheel.
      event.preventDefault()
      setRange(panned(range(), event.deltaX / options.plot().width, whole()))
    }
  }
  const press = (event: MouseEvent | TouchEvent) => {
    if (!pans(event)) return
    sync()
    // The middle button would begin to scroll.
    if (event instanceof MouseEvent && event.button === 1) event.preventDefault()
  }
  const first = { capture: true, passive: false }
  element.addEventListener('wheel', wheel as EventListener, first)
  element.addEventListener('mousedown', press as EventListener, first)
  element.addEventListener('touchstart', press as EventListener, first)
  selection.call(behaviour).on('dblclick.zoom', null)
  return () => {
    element.removeEventListener('wheel', wheel as EventListener, first)
    element.removeEventListener('mousedown', press as EventListener, first)
    element.removeEventListener('touchstart', press as EventListener, first)
    selection.on('.zoom', null)
  }
}
