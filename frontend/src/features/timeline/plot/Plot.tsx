/** The lanes: heads at the left, two canvases over the plot, handles of the stalls between them. */
import {
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { readPalette } from '@/charts/palette'
import { useLatest } from '@/state/latest'
import { useTheme } from '@/state/theme'
import { AXIS_HEIGHT } from '@/charts/TimeAxis'
import { visible } from '../model/laneStack'
import type { Item, Lane, Placed } from '../model/laneTypes'
import { LEFT, RIGHT } from './layout'
import { bindGestures, type PlotActions, type PlotElements } from './gestures'
import { LiveAxis } from './LiveAxis'
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

/** Colours of the theme as plain values, read again when it changes. */
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

/** Binds the gestures once; they call what the last render would. */
function useGestures(
  { scroller, brush, tip }: Refs,
  view: TimelineView,
  actions: PlotActions,
): void {
  const latest = useLatest(actions)
  useEffect(() => {
    const elements = { scroller: scroller.current, brush: brush.current, tip: tip.current }
    if (!elements.scroller || !elements.brush || !elements.tip) return
    return bindGestures(elements as PlotElements, view, () => latest.current)
  }, [view, scroller, brush, tip, latest])
}

type Refs = { readonly [Part in keyof PlotElements]: RefObject<PlotElements[Part] | null> }
