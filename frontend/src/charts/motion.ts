/**
 * Motion that keeps a person oriented when a picture jumps, by d3-transition. Nothing moves for somebody
 * who prefers reduced motion, nor where the browser does not say (tests): the end shows at once.
 */
import { interpolateZoom } from 'd3-interpolate'
import { type BaseType, select, type Selection } from 'd3-selection'
import { interrupt, type Transition } from 'd3-transition'
import type { Interval } from './range'

const MOTION_MS = 250

/** How long a jump takes, ms; 0 shows its end at once. */
export function motionMs(): number {
  const query = window.matchMedia as typeof window.matchMedia | undefined
  return query?.('(prefers-reduced-motion: no-preference)').matches ? MOTION_MS : 0
}

/** An element as a transition, or as a selection where nothing moves. */
export function smoothly<Of extends BaseType>(
  element: Of,
): Selection<Of, unknown, null, undefined> | Transition<Of, unknown, null, undefined> {
  const selection = select<Of, unknown>(element)
  const ms = motionMs()
  return ms === 0 ? selection : selection.transition().duration(ms)
}

/** Call `step` with shares that grow to 1, in frames; another motion of the element ends this one. */
export function animate(element: Element | null, step: (share: number) => void): void {
  const ms = element ? motionMs() : 0
  if (element) interrupt(element)
  if (!element || ms === 0) step(1)
  else
    select(element)
      .transition()
      .duration(ms)
      .tween('step', () => step)
}

export function stopMotion(element: Element | null): void {
  if (element) interrupt(element)
}

/** The ranges between two: a far one is reached by way of a wider view, so that its place is seen. */
export function rangesBetween(from: Interval, to: Interval): (share: number) => Interval {
  const origin = from[0]
  const viewOf = ([start, end]: Interval): [number, number, number] => [
    (start + end) / 2 - origin,
    0,
    end - start,
  ]
  const view = interpolateZoom(viewOf(from), viewOf(to))
  return (share) => {
    if (share >= 1) return to
    const [middle, , span] = view(share)
    return [origin + middle - span / 2, origin + middle + span / 2]
  }
}
