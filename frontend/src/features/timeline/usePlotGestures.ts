/** Drag brushes a range, double click shows everything, Ctrl + wheel zooms at the pointer. */
import { useEffect, useRef, useState, type RefObject } from 'react'
import { timeScale, zoomed, type Interval } from '@/charts/time'

type Options = {
  range: Interval | null
  whole: Interval | null
  left: number
  width: number
  change: (next: Interval) => void
}

const CLICK = 4

/** The brush being drawn, in pixels of the plot, or null. */
export function usePlotGestures(plot: RefObject<HTMLElement | null>, options: Options) {
  const latest = useRef(options)
  useEffect(() => {
    latest.current = options
  })
  const [brush, setBrush] = useState<readonly [number, number] | null>(null)
  const ready = options.range !== null
  useEffect(() => {
    const element = plot.current
    if (!element) return
    let from: number | null = null
    const px = (event: MouseEvent) =>
      event.clientX - element.getBoundingClientRect().left - latest.current.left
    const clamp = (value: number) => Math.min(latest.current.width, Math.max(0, value))

    const down = (event: PointerEvent) => {
      const at = px(event)
      const control = event.target instanceof Element && event.target.closest('button, a, input')
      if (event.button !== 0 || control || at < 0 || at > latest.current.width) return
      from = at
      element.setPointerCapture(event.pointerId)
    }
    const move = (event: PointerEvent) => {
      if (from === null) return
      const to = clamp(px(event))
      setBrush(Math.abs(to - from) > CLICK ? [Math.min(from, to), Math.max(from, to)] : null)
    }
    const up = (event: PointerEvent) => {
      if (from === null) return
      const start = from
      const to = clamp(px(event))
      from = null
      setBrush(null)
      const { range, width, change } = latest.current
      if (!range || Math.abs(to - start) <= CLICK) return
      const x = timeScale(range, width)
      change([
        x.invert(Math.min(start, to)).getTime(),
        Math.max(
          x.invert(Math.max(start, to)).getTime(),
          x.invert(Math.min(start, to)).getTime() + 1000,
        ),
      ])
    }
    const cancel = () => {
      from = null
      setBrush(null)
    }
    const double = (event: MouseEvent) => {
      const { whole, change, width } = latest.current
      const at = px(event)
      if (whole && at >= 0 && at <= width) change(whole)
    }
    const wheel = (event: WheelEvent) => {
      const { range, whole, change, width } = latest.current
      if (!event.ctrlKey || !range || !whole) return
      event.preventDefault()
      const at = timeScale(range, width)
        .invert(clamp(px(event)))
        .getTime()
      change(zoomed(range, Math.exp(event.deltaY / 300), at, whole))
    }
    element.addEventListener('pointerdown', down)
    element.addEventListener('pointermove', move)
    element.addEventListener('pointerup', up)
    element.addEventListener('pointercancel', cancel)
    element.addEventListener('dblclick', double)
    element.addEventListener('wheel', wheel, { passive: false })
    return () => {
      element.removeEventListener('pointerdown', down)
      element.removeEventListener('pointermove', move)
      element.removeEventListener('pointerup', up)
      element.removeEventListener('pointercancel', cancel)
      element.removeEventListener('dblclick', double)
      element.removeEventListener('wheel', wheel)
    }
  }, [plot, ready])
  return brush
}
