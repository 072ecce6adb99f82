/** The timeline of a report file: crosshair with values, zoom and pan, keys. */
import { clamped, zoomed, type Interval } from '@/charts/range'
import { formatTime } from '@/format'
import type { LanesDrawing } from './data'
import { button, html } from './dom'
import { extent, LEFT, MIN_SPAN_MS, RIGHT, tOf, WIDTH } from './lanes'
import { createPicture, drawCrosshair, drawLanes } from './lanesPicture'

/** What gestures and keys change: the visible range, and the crosshair (null: none). */
type View = {
  readonly whole: Interval
  range: Interval
  at: number | null
  readonly show: (range: Interval) => void
  readonly moveCrosshair: (at: number | null) => void
}

/** Replace the static picture in `place` with the interactive one; without a point it stays. */
export function showLanes(place: HTMLElement, drawing: LanesDrawing, zone: string): void {
  const whole = extent(drawing)
  if (!whole) return
  const label = place.querySelector('svg')?.getAttribute('aria-label') ?? 'Timeline'
  const picture = createPicture(drawing, label)
  const output = html('output', { 'aria-live': 'polite' })
  const clip = `pv-${Math.round(whole[0])}`
  const view: View = {
    whole,
    range: whole,
    at: null,
    show: (range) => {
      view.range = range
      drawLanes(picture, drawing, range, { zone, clip })
      view.moveCrosshair(view.at)
    },
    moveCrosshair: (at) => {
      view.at = at
      const visible = at !== null && at >= view.range[0] && at <= view.range[1] ? at : null
      const values = drawCrosshair(picture, drawing, view.range, visible)
      output.textContent = visible === null ? '' : formatTime(visible, zone)
      output.title = values.join('\n')
    },
  }
  bindPointer(picture, view)
  bindWheel(picture, view)
  bindKeys(picture, view)
  view.show(whole)
  const bar = html(
    'div',
    { class: 'pv-bar' },
    button('+', 'Zoom in', () => zoomAtCrosshair(view, 0.5)),
    button('−', 'Zoom out', () => zoomAtCrosshair(view, 2)),
    button('0', 'Show everything', () => view.show(whole)),
    output,
  )
  place.replaceChildren(html('div', { class: 'pv', 'data-view': 'lanes' }, bar, picture))
}

const crosshairOrMiddle = ({ at, range }: View) => at ?? (range[0] + range[1]) / 2

function zoomAtCrosshair(view: View, factor: number): void {
  zoomAt(view, crosshairOrMiddle(view), factor)
}

function zoomAt(view: View, at: number, factor: number): void {
  view.show(zoomed(view.range, factor, at, view.whole, MIN_SPAN_MS))
}

/** The instant below the pointer, inside the visible range. */
function instantAt(picture: SVGSVGElement, event: MouseEvent, range: Interval): number {
  const box = picture.getBoundingClientRect()
  const t = tOf(((event.clientX - box.left) / box.width) * WIDTH, range)
  return Math.min(Math.max(t, range[0]), range[1])
}

/** A drag pans, a move shows the crosshair, a double click shows everything. */
function bindPointer(picture: SVGSVGElement, view: View): void {
  let press: { x: number; range: Interval } | null = null
  picture.addEventListener('pointerdown', (event) => {
    press = { x: event.clientX, range: view.range }
    picture.setPointerCapture(event.pointerId)
  })
  picture.addEventListener('pointerup', () => {
    press = null
  })
  picture.addEventListener('pointermove', (event) => {
    if (!press || !event.buttons) {
      view.moveCrosshair(instantAt(picture, event, view.range))
      return
    }
    const [start, end] = press.range
    const perPixel =
      ((end - start) / (RIGHT - LEFT)) * (WIDTH / picture.getBoundingClientRect().width)
    const by = (press.x - event.clientX) * perPixel
    view.show(clamped([start + by, end + by], view.whole))
  })
  picture.addEventListener('pointerleave', () => view.moveCrosshair(null))
  picture.addEventListener('dblclick', () => view.show(view.whole))
}

/** The wheel zooms with Ctrl or when the picture has the focus; otherwise the page scrolls. */
function bindWheel(picture: SVGSVGElement, view: View): void {
  const zoom = (event: WheelEvent) => {
    if (!event.ctrlKey && document.activeElement !== picture) return
    event.preventDefault()
    zoomAt(view, instantAt(picture, event, view.range), event.deltaY > 0 ? 1.25 : 0.8)
  }
  picture.addEventListener('wheel', zoom, { passive: false })
}

/** Arrow keys move the crosshair by a hundredth of the range, with Shift by a tenth. */
function bindKeys(picture: SVGSVGElement, view: View): void {
  picture.addEventListener('keydown', (event) => {
    const [start, end] = view.range
    const step = (end - start) / (event.shiftKey ? 10 : 100)
    if (event.key === '+') return zoomAtCrosshair(view, 0.5)
    if (event.key === '-') return zoomAtCrosshair(view, 2)
    if (event.key === '0') return view.show(view.whole)
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return
    event.preventDefault()
    const from = crosshairOrMiddle(view)
    view.moveCrosshair(
      event.key === 'ArrowLeft' ? Math.max(from - step, start) : Math.min(from + step, end),
    )
  })
}
