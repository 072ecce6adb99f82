/** Draws the lanes of a report file as SVG: stalls, ticks, lines, and the crosshair with its values. */
import type { Interval } from '@/charts/range'
import { zonedTicks } from '@/charts/ticks'
import type { Lane, LanesDrawing } from './data'
import { svg } from './dom'
import {
  bounds,
  ended,
  LANE,
  LEFT,
  RIGHT,
  shapeOf,
  short,
  TOP,
  valueAt,
  WIDTH,
  xOf,
  type LaneShape,
} from './lanes'

const INK = '#1c2024'
const GREY = '#60646c'
const HAIR = '#d9d9e0'
const STALL = '#fdf3dd'
const LINE = '#0072b2'
/** Letters of a lane's title. */
const MOST = 29

const heightOf = (drawing: LanesDrawing) => TOP + LANE * drawing.lanes.length + 8

/** Create the focusable picture, still empty. */
export function createPicture(drawing: LanesDrawing, label: string): SVGSVGElement {
  return svg('svg', {
    viewBox: `0 0 ${WIDTH} ${heightOf(drawing)}`,
    role: 'img',
    tabindex: 0,
    'aria-label': `${label} Arrow keys move the crosshair, plus and minus zoom, 0 shows everything.`,
    'font-family': 'Inter, sans-serif',
    'font-size': 11,
  })
}

/** Draw the range in place of what the picture shows; the crosshair is drawn apart. */
export function drawLanes(
  picture: SVGSVGElement,
  drawing: LanesDrawing,
  range: Interval,
  { zone, clip }: { zone: string; clip: string },
): void {
  const height = heightOf(drawing)
  const inside = svg('g', { 'clip-path': `url(#${clip})` })
  picture.replaceChildren(
    svg('rect', { width: WIDTH, height, fill: '#fff' }),
    svg('clipPath', { id: clip }, svg('rect', { x: LEFT, y: 0, width: RIGHT - LEFT, height })),
    inside,
    text(8, 16, `time, ${zone}`, GREY),
  )
  inside.append(...drawing.stalls.flatMap((stall) => stallBand(stall, range, height)))
  for (const tick of zonedTicks(range, RIGHT - LEFT, zone)) {
    const x = LEFT + tick.x
    inside.append(svg('line', { x1: x, x2: x, y1: 24, y2: height - 8, stroke: HAIR }))
    picture.append(text(x, 16, tick.label, GREY, 'middle'))
  }
  const over = ended(drawing.stalls)
  drawing.lanes.forEach((lane, index) => {
    const top = TOP + index * LANE
    const shape = shapeOf(lane, range, top, over)
    inside.append(
      svg('path', { d: shape.path, fill: 'none', stroke: LINE, 'stroke-width': 1.25 }),
      ...shape.marks.map(([x, y]) =>
        svg('path', { d: `M${x - 3},${y + 5}l3,-5l3,5z`, fill: LINE }),
      ),
    )
    picture.append(...laneFrame(lane, shape, bounds(lane, range)[1], top))
  })
}

function stallBand([start, end]: LanesDrawing['stalls'][number], range: Interval, height: number) {
  const left = xOf(start, range)
  const right = end === null ? RIGHT : xOf(end, range)
  if (right <= left) return []
  return [svg('rect', { x: left, y: 24, width: right - left, height: height - 32, fill: STALL })]
}

/** The base line of a lane, its title and unit, the ends of its axis, and a value `most` above it. */
function laneFrame(lane: Lane, { axis }: LaneShape, most: number, top: number): SVGElement[] {
  const [low, high] = axis
  // Of a state that does not fit, the state alone, as on paper.
  const part = lane.title.length > MOST ? lane.title.replace(/^[^:]*: /, '') : lane.title
  const title = part.length > MOST ? `${part.slice(0, MOST - 1)}…` : part
  const base = top + LANE - 12
  return [
    svg('line', { x1: LEFT, x2: RIGHT, y1: base, y2: base, stroke: HAIR }),
    text(8, top + 22, title, INK),
    text(8, top + 37, lane.unit, GREY),
    text(RIGHT + 6, top + 12, short(high), GREY),
    ...(most > high ? [text(RIGHT + 6, top + 26, `▲ ${short(most)}`, GREY)] : []),
    text(RIGHT + 6, top + LANE - 8, short(low), GREY),
  ]
}

/** Move the crosshair to an instant, null removes it; returns a line of text per lane. */
export function drawCrosshair(
  picture: SVGSVGElement,
  drawing: LanesDrawing,
  range: Interval,
  at: number | null,
): string[] {
  picture.querySelector('.pv-cross')?.remove()
  if (at === null) return []
  const x = xOf(at, range)
  const cross = svg('g', { class: 'pv-cross', 'pointer-events': 'none' })
  cross.append(svg('line', { x1: x, x2: x, y1: 20, y2: heightOf(drawing) - 8, stroke: INK }))
  const left = x > RIGHT - 90
  const values = drawing.lanes.map((lane, index) => {
    const value = valueAt(lane, at)
    const words = value === null ? '–' : `${short(value)} ${lane.unit}`.trim()
    const y = TOP + index * LANE + 22
    const label = text(x + (left ? -5 : 5), y, words, INK, left ? 'end' : 'start')
    label.setAttribute('paint-order', 'stroke')
    label.setAttribute('stroke', '#fff')
    label.setAttribute('stroke-width', '3')
    cross.append(label)
    return `${lane.title} ${words}`
  })
  picture.append(cross)
  return values
}

function text(x: number, y: number, words: string, fill: string, anchor = 'start') {
  return svg('text', { x, y, fill, 'text-anchor': anchor }, words)
}
