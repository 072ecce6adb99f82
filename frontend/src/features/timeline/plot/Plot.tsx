/** The lanes: heads at the left, two canvases over the plot, handles of the stalls between them. */
import { type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { readPalette } from '@/charts/palette'
import { panned, zoomed, type Interval } from '@/charts/time'
import { useTheme } from '@/state/theme'
import { useZone } from '@/state/incident'
import { AXIS_HEIGHT, TimeAxis } from '@/charts/TimeAxis'
import { formatDuration } from '@/format'
import { itemAt, visible } from '../model/laneStack'
import type { Item, Lane, Placed } from '../model/laneTypes'
import { LEFT, RIGHT } from './layout'
import type { TimelineView } from './view'

type Props = {
  readonly view: TimelineView
  readonly placed: readonly Placed[]
  readonly height: number
  readonly width: number
  readonly head: (lane: Lane, index: number) => ReactNode
  /** Drawn over the lanes, in the plot's own coordinates. */
  readonly over: ReactNode
  readonly relative: string | null
  readonly onPick: (item: Item | null, lane: Lane) => void
  readonly onOpen: (item: Item) => void
  readonly onWhole: () => void
}

const CLICK = 4

export function Plot(props: Props) {
  const { view, placed, height, width, head, over, onPick, onOpen, onWhole, relative } = props
  const scroller = useRef<HTMLDivElement>(null)
  const main = useRef<HTMLCanvasElement>(null)
  const upper = useRef<HTMLCanvasElement>(null)
  const brush = useRef<HTMLDivElement>(null)
  const tip = useRef<HTMLDivElement>(null)
  const [box, setBox] = useState({ top: 0, bottom: 800 })
  usePalette(view)

  useLayoutEffect(() => {
    view.attach(main.current, upper.current)
    return () => view.attach(null, null)
  }, [view])

  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    const size = () => view.setSize(width, element.clientHeight - AXIS_HEIGHT)
    const scrolled = () => {
      view.setScroll(element.scrollTop)
      const top = Math.floor(element.scrollTop / 200) * 200 - 200
      const bottom = top + element.clientHeight + 600
      setBox((before) =>
        before.top === top && before.bottom === bottom ? before : { top, bottom },
      )
    }
    size()
    scrolled()
    const observer = new ResizeObserver(() => {
      size()
      scrolled()
    })
    observer.observe(element)
    element.addEventListener('scroll', scrolled, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', scrolled)
    }
  }, [view, width])

  useGestures({ scroller, brush, tip }, view, { onPick, onOpen, onWhole })

  const shown = visible(placed, box.top, box.bottom)
  const order = useMemo(() => new Map(placed.map(({ lane }, at) => [lane.id, at])), [placed])
  return (
    <div
      className="tl-scroll scroll"
      ref={scroller}
      tabIndex={0}
      role="region"
      aria-label="Lanes of the timeline"
    >
      <div className="tl-top">
        <div className="tl-corner" />
        <LiveAxis view={view} width={width} relative={relative} />
      </div>
      <div className="tl-body" style={{ height: Math.max(height, 1) }}>
        <div role="list" aria-label="Lanes">
          {shown.map(({ lane, y }) => (
            <div
              key={lane.id}
              role="listitem"
              className={lane.kind === 'group' ? 'tl-group' : 'tl-head'}
              style={{ top: y, height: lane.height }}
            >
              {head(lane, order.get(lane.id) ?? 0)}
            </div>
          ))}
        </div>
        <div
          className="tl-plot"
          style={{ left: LEFT, width: width + RIGHT }}
          data-testid="timeline-plot"
        >
          <canvas ref={main} className="tl-canvas" aria-hidden="true" />
          <div className="tl-over" style={{ width }}>
            {over}
            <div ref={brush} className="tl-brush" hidden />
          </div>
          <canvas ref={upper} className="tl-canvas" aria-hidden="true" />
          <div ref={tip} className="tl-tip" hidden />
        </div>
      </div>
    </div>
  )
}

/** The axis follows the plot at each frame, by its own state and nothing else's. */
function LiveAxis({
  view,
  width,
  relative,
}: {
  readonly view: TimelineView
  readonly width: number
  readonly relative: string | null
}) {
  const zone = useZone()
  const [range, setRange] = useState<Interval>(view.range)
  const label = useRef<HTMLSpanElement>(null)
  useEffect(() => view.onFrame(() => setRange(view.range)), [view])
  useEffect(
    () =>
      view.onHover((at) => {
        const span = label.current
        if (!span) return
        span.hidden = at === null
        if (at === null) return
        const px = view.x(at)
        span.textContent = zone.format(at, 'clock')
        span.style.transform = `translateX(${Math.min(width - 56, Math.max(0, px - 28))}px)`
      }),
    [view, zone, width],
  )
  return (
    <div className="tl-axis" style={{ width }} data-testid="timeline-axis">
      <TimeAxis range={range} width={width} zone={zone.name} />
      {relative && <span className="tl-relative">{relative}</span>}
      <span ref={label} className="tl-now mono" hidden />
    </div>
  )
}

/** Colours of the theme as plain values, read anew when it changes. */
function usePalette(view: TimelineView) {
  const [theme] = useTheme()
  useEffect(() => {
    const read = () => view.setPalette(readPalette())
    read()
    const media = window.matchMedia('(prefers-color-scheme: dark)')
    media.addEventListener('change', read)
    return () => media.removeEventListener('change', read)
  }, [view, theme])
}

type Acts = Pick<Props, 'onPick' | 'onOpen' | 'onWhole'>
type Parts = {
  readonly scroller: React.RefObject<HTMLDivElement | null>
  readonly brush: React.RefObject<HTMLDivElement | null>
  readonly tip: React.RefObject<HTMLDivElement | null>
}

/**
 * Drag brushes a range; Shift or the middle button, or a drag of the axis, pans; Ctrl + wheel zooms at
 * the pointer and a sideways wheel pans; a double click shows everything. None of it renders React.
 */
function useGestures({ scroller, brush, tip }: Parts, view: TimelineView, acts: Acts) {
  const latest = useRef(acts)
  useEffect(() => {
    latest.current = acts
  })
  useEffect(() => {
    const element = scroller.current
    if (!element) return
    let from: { x: number; range: Interval; pan: boolean } | null = null
    const place = (event: MouseEvent) => {
      const box = element.getBoundingClientRect()
      const x = event.clientX - box.left - LEFT
      const y = event.clientY - box.top - AXIS_HEIGHT
      return { x, y: y + element.scrollTop, onAxis: y < 0, inside: x >= 0 && x <= view.width }
    }
    const clamp = (x: number) => Math.min(view.width, Math.max(0, x))
    const found = (x: number, y: number): { item: Item | null; lane: Lane } | null => {
      const placed = view.laneAt(y)
      if (!placed) return null
      const { lane } = placed
      if (!('items' in lane)) return { item: null, lane }
      const perPixel = (view.range[1] - view.range[0]) / view.width
      const row =
        lane.rows > 1 ? Math.floor((y - placed.y - 3) / ((lane.height - 6) / lane.rows)) : null
      const at = view.time(x) - view.shiftOf(lane)
      return { item: itemAt(lane.items, at, row, 6 * perPixel), lane }
    }
    const showTip = (x: number, y: number) => {
      const box = tip.current
      if (!box) return
      const hit = found(x, y)
      box.hidden = !hit?.item
      element.style.cursor = hit?.item ? 'pointer' : ''
      if (!hit?.item) return
      const unsure = view.clocks.uncertaintyOfArtifact(hit.item.source)
      const clock = unsure >= 1 ? ` (clock ± ${formatDuration(unsure / 1000)})` : ''
      box.textContent = `${hit.item.label}${clock}`
      const left = Math.min(view.width - 320, Math.max(0, x + 10))
      box.style.transform = `translate(${left}px, ${y + 14}px)`
    }
    const down = (event: PointerEvent) => {
      const control =
        event.target instanceof Element &&
        event.target.closest('button, a, input, [role="slider"], .tl-head')
      const { x, inside, onAxis } = place(event)
      if (event.button > 1 || control || !inside) return
      from = { x, range: view.range, pan: onAxis || event.shiftKey || event.button === 1 }
      element.setPointerCapture(event.pointerId)
      if (event.button === 1) event.preventDefault()
    }
    const move = (event: PointerEvent) => {
      const { x, y, inside, onAxis } = place(event)
      if (!from) {
        view.setHover(inside ? view.time(x) : null)
        if (inside && !onAxis) showTip(x, y)
        else if (tip.current) tip.current.hidden = true
        return
      }
      if (from.pan) {
        const shift = ((from.x - x) / view.width) * (from.range[1] - from.range[0])
        view.setRange([from.range[0] + shift, from.range[1] + shift])
        return
      }
      const box = brush.current
      if (!box) return
      const to = clamp(x)
      view.setHover(view.time(to))
      box.hidden = Math.abs(to - from.x) <= CLICK
      box.style.transform = `translateX(${Math.min(from.x, to)}px)`
      box.style.width = `${Math.abs(to - from.x)}px`
    }
    const up = (event: PointerEvent) => {
      if (!from) return
      const begun = from
      from = null
      if (brush.current) brush.current.hidden = true
      if (begun.pan) return
      const { x, y } = place(event)
      const to = clamp(x)
      if (Math.abs(to - begun.x) <= CLICK) {
        const hit = found(to, y)
        if (!hit) return
        if (hit.item && hit.item.key === view.chosen) latest.current.onOpen(hit.item)
        latest.current.onPick(hit.item, hit.lane)
        return
      }
      const [left, right] = [view.time(Math.min(begun.x, to)), view.time(Math.max(begun.x, to))]
      view.setRange([left, Math.max(right, left + 1000)])
    }
    const leave = () => {
      from = null
      if (brush.current) brush.current.hidden = true
      if (tip.current) tip.current.hidden = true
      view.setHover(null)
    }
    const double = (event: MouseEvent) => {
      const { x, y, inside } = place(event)
      if (inside && !found(x, y)?.item) latest.current.onWhole()
    }
    const wheel = (event: WheelEvent) => {
      const { x } = place(event)
      if (event.ctrlKey) {
        event.preventDefault()
        const factor = Math.exp(event.deltaY / 300)
        view.setRange(zoomed(view.range, factor, view.time(clamp(x)), view.whole))
      } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        event.preventDefault()
        view.setRange(panned(view.range, event.deltaX / view.width, view.whole))
      }
    }
    element.addEventListener('pointerdown', down)
    element.addEventListener('pointermove', move)
    element.addEventListener('pointerup', up)
    element.addEventListener('pointercancel', leave)
    element.addEventListener('pointerleave', leave)
    element.addEventListener('dblclick', double)
    element.addEventListener('wheel', wheel, { passive: false })
    return () => {
      element.removeEventListener('pointerdown', down)
      element.removeEventListener('pointermove', move)
      element.removeEventListener('pointerup', up)
      element.removeEventListener('pointercancel', leave)
      element.removeEventListener('pointerleave', leave)
      element.removeEventListener('dblclick', double)
      element.removeEventListener('wheel', wheel)
    }
  }, [view, scroller, brush, tip])
}
