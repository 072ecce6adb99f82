/** The timeline of a report file: crosshair with values, zoom and pan, keys. */
import type { LanesDrawing } from './data'
import { button, html, svg } from './dom'
import {
  LANE,
  LEFT,
  RIGHT,
  TOP,
  WIDTH,
  bounds,
  extent,
  pan,
  pathOf,
  short,
  ticks,
  tOf,
  valueAt,
  xOf,
  zoom,
  type Range,
} from './lanes'

const INK = '#1c2024'
const GREY = '#60646c'
const HAIR = '#d9d9e0'

/** Puts the interactive picture in the place of the static one. */
export function showLanes(place: HTMLElement, drawing: LanesDrawing, zone: string) {
  const found = extent(drawing)
  if (!found) return
  const whole = found
  let range: Range = whole
  let at: number | null = null
  const height = TOP + LANE * drawing.lanes.length + 8
  const clock = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
  const day = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
  const label = place.querySelector('svg')?.getAttribute('aria-label') ?? 'Timeline'
  const picture = svg('svg', {
    viewBox: `0 0 ${WIDTH} ${height}`,
    role: 'img',
    tabindex: 0,
    'aria-label': `${label} Arrow keys move the crosshair, plus and minus zoom, 0 shows everything.`,
    'font-family': 'Inter, sans-serif',
    'font-size': 11,
  })
  const element = html('output', { 'aria-live': 'polite' })
  const middle = () => at ?? (range[0] + range[1]) / 2
  const show = (next: Range) => {
    range = next
    draw()
  }
  const bar = html(
    'div',
    { class: 'pv-bar' },
    button('+', 'Zoom in', () => show(zoom(range, middle(), 0.5, whole))),
    button('−', 'Zoom out', () => show(zoom(range, middle(), 2, whole))),
    button('0', 'Show everything', () => show(whole)),
    element,
  )
  const view = html('div', { class: 'pv', 'data-view': 'lanes' }, bar, picture)

  function text(x: number, y: number, words: string, fill: string, anchor = 'start') {
    return svg('text', { x, y, fill, 'text-anchor': anchor }, words)
  }

  function draw() {
    const clip = `pv-${Math.round(whole[0])}`
    picture.replaceChildren(
      svg('rect', { width: WIDTH, height, fill: '#fff' }),
      svg('clipPath', { id: clip }, svg('rect', { x: LEFT, y: 0, width: RIGHT - LEFT, height })),
    )
    const inside = svg('g', { 'clip-path': `url(#${clip})` })
    for (const [start, end] of drawing.stalls) {
      const left = xOf(start, range)
      const right = end === null ? RIGHT : xOf(end, range)
      if (right <= left) continue
      inside.append(
        svg('rect', { x: left, y: 24, width: right - left, height: height - 32, fill: '#fdf3dd' }),
      )
    }
    picture.append(inside)
    for (const tick of ticks(range)) {
      const x = xOf(tick, range)
      inside.append(svg('line', { x1: x, x2: x, y1: 24, y2: height - 8, stroke: HAIR }))
      picture.append(text(x, 16, clock.format(tick), GREY, 'middle'))
    }
    picture.append(text(8, 16, `time, ${zone}`, GREY))
    drawing.lanes.forEach((lane, index) => {
      const top = TOP + index * LANE
      const [low, high] = bounds(lane, range)
      inside.append(
        svg('path', {
          d: pathOf(lane, range, top),
          fill: 'none',
          stroke: '#0072b2',
          'stroke-width': 1.25,
        }),
      )
      const title = lane.title.length > 29 ? `${lane.title.slice(0, 28)}…` : lane.title
      picture.append(
        svg('line', {
          x1: LEFT,
          x2: RIGHT,
          y1: top + LANE - 12,
          y2: top + LANE - 12,
          stroke: HAIR,
        }),
        text(8, top + 22, title, INK),
        text(8, top + 37, lane.unit, GREY),
        text(RIGHT + 6, top + 12, short(high), GREY),
        text(RIGHT + 6, top + LANE - 8, short(low), GREY),
      )
    })
    drawCrosshair()
  }

  function drawCrosshair() {
    picture.querySelector('.pv-cross')?.remove()
    if (at === null || at < range[0] || at > range[1]) {
      element.textContent = ''
      return
    }
    const x = xOf(at, range)
    const cross = svg('g', { class: 'pv-cross', 'pointer-events': 'none' })
    cross.append(svg('line', { x1: x, x2: x, y1: 20, y2: height - 8, stroke: INK }))
    const values: string[] = []
    drawing.lanes.forEach((lane, index) => {
      const value = valueAt(lane, at ?? 0)
      const words = value === null ? '–' : `${short(value)} ${lane.unit}`.trim()
      values.push(`${lane.title} ${words}`)
      const left = x > RIGHT - 90
      const y = TOP + index * LANE + 22
      const shown = text(x + (left ? -5 : 5), y, words, INK, left ? 'end' : 'start')
      shown.setAttribute('paint-order', 'stroke')
      shown.setAttribute('stroke', '#fff')
      shown.setAttribute('stroke-width', '3')
      cross.append(shown)
    })
    picture.append(cross)
    element.textContent = `${day.format(at)} ${clock.format(at)}`
    element.title = values.join('\n')
  }

  /** The instant below the pointer. */
  function instant(event: MouseEvent): number {
    const box = picture.getBoundingClientRect()
    const t = tOf(((event.clientX - box.left) / box.width) * WIDTH, range)
    return Math.min(Math.max(t, range[0]), range[1])
  }

  let held: { x: number; range: Range } | null = null
  picture.addEventListener('pointerdown', (event) => {
    held = { x: event.clientX, range }
    picture.setPointerCapture(event.pointerId)
  })
  picture.addEventListener('pointerup', () => {
    held = null
  })
  picture.addEventListener('pointermove', (event) => {
    if (held && event.buttons) {
      const box = picture.getBoundingClientRect()
      const perPixel = ((held.range[1] - held.range[0]) / (RIGHT - LEFT)) * (WIDTH / box.width)
      show(pan(held.range, (held.x - event.clientX) * perPixel, whole))
      return
    }
    at = instant(event)
    drawCrosshair()
  })
  picture.addEventListener('pointerleave', () => {
    at = null
    drawCrosshair()
  })
  picture.addEventListener('dblclick', () => show(whole))
  picture.addEventListener(
    'wheel',
    (event) => {
      if (!event.ctrlKey && document.activeElement !== picture) return
      event.preventDefault()
      show(zoom(range, instant(event), event.deltaY > 0 ? 1.25 : 0.8, whole))
    },
    { passive: false },
  )
  picture.addEventListener('keydown', (event) => {
    const step = (range[1] - range[0]) / (event.shiftKey ? 10 : 100)
    if (event.key === 'ArrowLeft') at = Math.max(middle() - step, range[0])
    else if (event.key === 'ArrowRight') at = Math.min(middle() + step, range[1])
    else if (event.key === '+') return show(zoom(range, middle(), 0.5, whole))
    else if (event.key === '-') return show(zoom(range, middle(), 2, whole))
    else if (event.key === '0') return show(whole)
    else return
    event.preventDefault()
    drawCrosshair()
  })
  draw()
  place.replaceChildren(view)
}
