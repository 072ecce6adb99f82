/** A window over a strip with d3-brush: drag a new one, move it, or drag its edges. */
import { type BrushBehavior, brushX, type D3BrushEvent } from 'd3-brush'
import { select } from 'd3-selection'
import { clamped, MIN_SPAN_MS, type Interval } from './range'
import { timeScale } from './time'

/** Reach of the edges of the window, CSS pixels. */
const GRIP = 12
/** A drag of fewer pixels is a click and chooses nothing. */
const CLICK = 3

type WindowBrush = {
  /** Show a range as the window; ignored while a person drags. */
  readonly show: (range: Interval) => void
  readonly unbind: () => void
}

/** Bind a brush over `whole` to a group; `choose` gets the range at every step of a drag. */
export function bindWindowBrush(
  group: SVGGElement,
  whole: Interval,
  size: { readonly width: number; readonly height: number },
  choose: (range: Interval) => void,
): WindowBrush {
  const x = timeScale(whole, size.width)
  const selection = select<SVGGElement, unknown>(group)
  let dragging = false
  let latest: Interval = whole
  const brush: BrushBehavior<unknown> = brushX<unknown>()
    .extent([
      [0, 0],
      [size.width, size.height],
    ])
    .handleSize(GRIP)
    .keyModifiers(false)
  const show = (range: Interval) => {
    latest = range
    if (dragging) return
    const [left, right] = [Math.max(0, x(range[0])), Math.min(size.width, x(range[1]))]
    brush.move(selection, right > left ? [left, right] : null)
    // A window over (nearly) everything cannot be moved: a drag on it begins a new one.
    const isAll = right - left > size.width * 0.98
    selection.select('.selection').attr('pointer-events', isAll ? 'none' : 'all')
  }
  brush
    .on('start', ({ sourceEvent }: D3BrushEvent<unknown>) => {
      if (sourceEvent) dragging = true
    })
    .on('brush', ({ sourceEvent, selection: drawn, mode }: D3BrushEvent<unknown>) => {
      const [left, right] = (drawn ?? []) as [number?, number?]
      if (!sourceEvent || left === undefined || right === undefined) return
      if (mode === 'handle' || mode === 'drag' || right - left > CLICK) {
        choose(atLeast(MIN_SPAN_MS, [Number(x.invert(left)), Number(x.invert(right))], whole))
      }
    })
    .on('end', ({ sourceEvent }: D3BrushEvent<unknown>) => {
      if (!sourceEvent) return
      dragging = false
      show(latest)
    })
  selection.call(brush)
  // The caller draws the window; the brush only listens.
  selection.select('.selection').attr('fill', 'transparent').attr('stroke', 'none')
  return { show, unbind: () => void selection.on('.brush', null).selectAll('*').remove() }
}

function atLeast(span: number, [start, end]: Interval, whole: Interval): Interval {
  return clamped([start, Math.max(end, start + span)], whole)
}
