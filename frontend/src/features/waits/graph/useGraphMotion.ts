/**
 * Motion between two moments: boxes and edges that stay move to their new place, new ones appear, and
 * those that are gone fade where they were. React has placed everything; d3 plays the way to there.
 */
import { interpolateNumber, interpolateString } from 'd3-interpolate'
import { select } from 'd3-selection'
import { interrupt } from 'd3-transition'
import { type RefObject, useLayoutEffect, useRef } from 'react'
import { motionMs } from '@/charts/motion'

/** In a picture of more elements nothing moves: it would not be followed, and not be smooth. */
const MOST_MOVED = 240

type Place = {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}
type Seen = {
  readonly boxes: ReadonlyMap<string, { readonly place: Place; readonly element: HTMLElement }>
  readonly edges: ReadonlyMap<string, { readonly path: string; readonly element: SVGPathElement }>
}

/** moment: what the picture is of. Only another moment moves it; a resize shows at once. */
export function useGraphMotion(canvas: RefObject<HTMLElement | null>, moment: string | null): void {
  const shown = useRef<{ moment: string | null; seen: Seen } | null>(null)
  useLayoutEffect(() => {
    if (!canvas.current) return
    const before = shown.current
    const seen = look(canvas.current)
    shown.current = { moment, seen }
    const count = seen.boxes.size + seen.edges.size
    if (!before || before.moment === moment || motionMs() === 0 || count > MOST_MOVED) return
    moveBoxes(before.seen, seen)
    moveEdges(before.seen, seen)
    fadeGone(canvas.current, before.seen, seen)
  })
}

function look(canvas: HTMLElement): Seen {
  const boxes = new Map<string, { place: Place; element: HTMLElement }>()
  for (const element of canvas.querySelectorAll<HTMLElement>('[data-key]')) {
    const { left, top, width, height } = element.style
    const place = {
      ...{ left: parseFloat(left), top: parseFloat(top) },
      ...{ width: parseFloat(width), height: parseFloat(height) },
    }
    boxes.set(element.dataset['key'] ?? '', { place, element })
  }
  const edges = new Map<string, { path: string; element: SVGPathElement }>()
  for (const element of canvas.querySelectorAll<SVGPathElement>('path[data-edge]'))
    edges.set(element.dataset['edge'] ?? '', { path: element.getAttribute('d') ?? '', element })
  return { boxes, edges }
}

function moveBoxes(before: Seen, after: Seen) {
  for (const [key, { place, element }] of after.boxes) {
    interrupt(element)
    element.style.height = `${place.height}px` // what interrupts a motion leaves the end of that
    const was = before.boxes.get(key)?.place
    if (!was) {
      appear(element)
      continue
    }
    element.style.opacity = ''
    if (was.left === place.left && was.top === place.top && was.height === place.height) continue
    const x = interpolateNumber(was.left - place.left, 0)
    const y = interpolateNumber(was.top - place.top, 0)
    const height = interpolateNumber(was.height, place.height)
    const step = (share: number) => {
      element.style.transform = share === 1 ? '' : `translate(${x(share)}px,${y(share)}px)`
      element.style.height = `${height(share)}px`
    }
    step(0)
    select(element)
      .transition()
      .duration(motionMs())
      .tween('place', () => step)
      .on('interrupt', () => step(1))
  }
}

function moveEdges(before: Seen, after: Seen) {
  for (const [key, { path, element }] of after.edges) {
    interrupt(element)
    element.setAttribute('d', path)
    const was = before.edges.get(key)?.path
    if (was === undefined) appear(element)
    else if (was !== path) {
      const between = interpolateString(was, path)
      const step = (share: number) => element.setAttribute('d', share === 1 ? path : between(share))
      step(0)
      select(element)
        .transition()
        .duration(motionMs())
        .tween('path', () => step)
        .on('interrupt', () => step(1))
    }
  }
}

function appear(element: HTMLElement | SVGElement) {
  const done = () => {
    element.style.opacity = ''
  }
  element.style.opacity = '0'
  select<Element & ElementCSSInlineStyle, unknown>(element)
    .transition()
    .duration(motionMs())
    .style('opacity', '1')
    .on('end interrupt', done)
}

/** What React has taken out of the page fades as a copy that nobody can reach. */
function fadeGone(canvas: HTMLElement, before: Seen, after: Seen) {
  for (const old of canvas.querySelectorAll('.graph-gone')) old.remove()
  const svg = canvas.querySelector('svg')
  const fade = (element: HTMLElement | SVGElement, into: Element) => {
    if (element.isConnected) return
    const copy = element.cloneNode(true) as HTMLElement | SVGElement
    for (const name of [...copy.getAttributeNames()])
      if (name.startsWith('data-') || name === 'id') copy.removeAttribute(name)
    copy.classList.add('graph-gone')
    copy.setAttribute('aria-hidden', 'true')
    copy.setAttribute('inert', '')
    into.append(copy)
    select<Element & ElementCSSInlineStyle, unknown>(copy)
      .transition()
      .duration(motionMs())
      .style('opacity', '0')
      .remove()
  }
  for (const [key, { element }] of before.boxes) if (!after.boxes.has(key)) fade(element, canvas)
  for (const [key, { element }] of before.edges)
    if (!after.edges.has(key) && svg) fade(element, svg)
}
