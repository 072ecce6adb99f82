/**
 * The view of the graph: d3-zoom interprets drags, pinches and Ctrl+wheel; the browser keeps the
 * scrollbars, so that a plain wheel, a touchpad and the keyboard scroll as everywhere else.
 */
import { select } from 'd3-selection'
import { zoom, zoomIdentity, zoomTransform, type ZoomTransform } from 'd3-zoom'
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { smoothly } from '@/charts/motion'
import { type GraphLayout, LEAST_FIT, type PlacedNode } from './layout'

const LEAST_ZOOM = 0.3
/** The largest zoom of a graph that fits itself. */
const MOST_FIT = 1.2
const MOST_ZOOM = 1.6
const ZOOM_STEP = 1.2
/** The most that one event of the wheel zooms, as a power of two: 1.15 times. */
const MOST_WHEEL = 0.2

type Frame = HTMLDivElement
/** Where a motion leads. */
type Aim = { readonly scale: number }
type View = { readonly left: number; readonly top: number; readonly scale: number }

/** How a layout is seen in the frame that scrolls it; `height` is the frame's. */
export function useGraphViewport(frame: Frame | null, layout: GraphLayout) {
  const [view, setView] = useState<View>({ left: 0, top: 0, scale: 1 })
  const [height, setHeight] = useState(700)
  const behaviour = useMemo(() => zoom<Frame, unknown>(), [])
  const mustScroll = useRef(false)
  const aim = useRef<Aim | null>(null)
  /** Until somebody zooms, the graph fits its frame. */
  const fitsItself = useRef(true)

  useEffect(() => {
    if (!frame) return
    behaviour
      .scaleExtent([LEAST_ZOOM, MOST_ZOOM])
      .extent(() => [
        [0, 0],
        [frame.clientWidth, frame.clientHeight],
      ])
      .constrain((next) => keepInside(next, frame, layout))
      .filter(startsZoom)
      .wheelDelta((event) => Math.max(-MOST_WHEEL, Math.min(MOST_WHEEL, event.deltaY * -0.02)))
      .on(
        'zoom',
        ({ transform, sourceEvent }: { transform: ZoomTransform; sourceEvent: unknown }) => {
          if (sourceEvent) fitsItself.current = false
          mustScroll.current ||=
            Math.abs(frame.scrollLeft + transform.x) >= 1 ||
            Math.abs(frame.scrollTop + transform.y) >= 1
          setView({ left: -transform.x, top: -transform.y, scale: transform.k })
        },
      )
    select(frame).call(behaviour).on('dblclick.zoom', null)
    return () => {
      select(frame).on('.zoom', null)
    }
  }, [behaviour, frame, layout])

  // The frame scrolls only once the zoomed content has its new size.
  useLayoutEffect(() => {
    if (!frame || !mustScroll.current) return
    mustScroll.current = false
    scrollFrame(frame, view.left, view.top)
  }, [frame, view])

  /** Takes over where the browser has scrolled to, and how high the frame is. */
  const followScroll = useCallback(() => {
    if (!frame) return
    setHeight(frame.clientHeight)
    if (aim.current) return // the motion scrolls
    const scrolled = zoomIdentity.translate(-frame.scrollLeft, -frame.scrollTop)
    behaviour.transform(select(frame), scrolled.scale(zoomTransform(frame).k))
  }, [frame, behaviour])

  /** Zoom in one motion; a press during it goes on from its end. */
  const zoomTo = (scale: number, apply: (to: ReturnType<typeof smoothly<Frame>>) => void) => {
    if (!frame) return
    const to = smoothly(frame)
    const mine = { scale }
    if ('duration' in to) {
      aim.current = mine
      to.on('end interrupt cancel', () => {
        if (aim.current !== mine) return
        aim.current = null
        followScroll()
      })
    }
    apply(to)
  }
  /** Fit a new layout or frame; between moments only where the graph would no longer fit. */
  const fitAtOnce = useCallback(
    (onlySmaller: boolean) => {
      if (!frame || !fitsItself.current || !layout.width || !frame.clientHeight) return
      setHeight(frame.clientHeight)
      const wide = frame.clientWidth / layout.width
      const whole = Math.min(wide, frame.clientHeight / layout.height)
      // A graph that is too high for a readable whole scrolls, in its full width.
      const wanted = whole >= LEAST_FIT ? whole : Math.min(1, wide)
      const scale = Math.min(MOST_FIT, Math.max(LEAST_FIT, wanted))
      if (onlySmaller && scale >= zoomTransform(frame).k) return
      behaviour.transform(select(frame), zoomIdentity.scale(scale))
    },
    [frame, behaviour, layout],
  )
  const zoomBy = (factor: number) => {
    fitsItself.current = false
    const wanted = (aim.current?.scale ?? view.scale) * factor
    const scale = Math.min(MOST_ZOOM, Math.max(LEAST_ZOOM, wanted))
    zoomTo(scale, (to) => behaviour.scaleTo(to, scale))
  }

  return {
    ...view,
    height,
    followScroll,
    zoomIn: () => zoomBy(ZOOM_STEP),
    zoomOut: () => zoomBy(1 / ZOOM_STEP),
    zoomToOriginal: () => {
      fitsItself.current = false
      zoomTo(1, (to) => behaviour.scaleTo(to, 1))
    },
    fitAtOnce,
    fit: () => {
      if (!frame) return
      fitsItself.current = true
      const wanted = Math.min(frame.clientWidth / layout.width, height / layout.height)
      const scale = Math.min(MOST_ZOOM, Math.max(LEAST_ZOOM, wanted))
      zoomTo(scale, (to) => behaviour.transform(to, zoomIdentity.scale(scale)))
    },
    scrollTo: (top: number) => {
      if (frame) scrollFrame(frame, frame.scrollLeft, top * view.scale)
    },
    reveal: (node: PlacedNode) => {
      if (frame) scrollIntoSight(frame, node, view.scale)
    },
  }
}

export type GraphViewport = ReturnType<typeof useGraphViewport>

/** Dragging the ground moves the view and nodes keep their clicks; a plain wheel scrolls. */
function startsZoom(event: MouseEvent | TouchEvent | WheelEvent): boolean {
  if (event.type === 'wheel') return event.ctrlKey || event.metaKey
  if ('button' in event && (event.button !== 0 || event.ctrlKey)) return false
  return !(event.target as Element).closest('button')
}

/** The nearest transform that scrolling can show: a graph smaller than its frame stays at the top left. */
function keepInside(next: ZoomTransform, frame: Frame, layout: GraphLayout): ZoomTransform {
  const within = (offset: number, room: number) => Math.min(0, Math.max(Math.min(0, room), offset))
  const x = within(next.x, frame.clientWidth - layout.width * next.k)
  const y = within(next.y, frame.clientHeight - layout.height * next.k)
  return zoomIdentity.translate(x, y).scale(next.k)
}

function scrollFrame(frame: Frame, left: number, top: number) {
  frame.scrollLeft = left
  frame.scrollTop = top
}

function scrollIntoSight(frame: Frame, node: PlacedNode, scale: number) {
  const top = node.y * scale
  const left = node.x * scale
  if (top < frame.scrollTop + 8) frame.scrollTop = Math.max(0, top - 40)
  else if (top + 34 * scale > frame.scrollTop + frame.clientHeight)
    frame.scrollTop = top - frame.clientHeight + 64
  if (left < frame.scrollLeft) frame.scrollLeft = Math.max(0, left - 16)
  else if (left + node.width * scale > frame.scrollLeft + frame.clientWidth)
    frame.scrollLeft = left + node.width * scale - frame.clientWidth + 16
}
