/**
 * The layered graph: roots at the left, waiters to the right; boxes are buttons, edges are curves.
 * Only what is in sight is in the page, so that thousands of nodes scroll as smoothly as ten.
 */
import {
  type KeyboardEvent,
  type PointerEvent,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useWidth } from '@/charts/useWidth'
import { Button } from '@/ui/controls/Button'
import { cx } from '@/ui/controls/cx'
import { layoutWaitGraph, type PlacedNode, visibleIn } from './layout'
import { connected, type WaitEdge, type WaitGraph } from '../waitGraph'
import { Minimap } from './Minimap'
import { NodeBox } from './NodeBox'
import { stepGraph } from './keyboardSteps'
import { blockersOf } from '../waitGraph'
import {
  DASH,
  edgeKind,
  edgeLabel,
  KIND,
  kindsOf,
  type NodePersistence,
  MARK,
  type Persistence,
} from '../nodeText'

type Props = {
  readonly graph: WaitGraph
  readonly selected: string
  readonly onSelect: (id: string) => void
  /** Opens a group to its members. */
  readonly onOpen: (id: string) => void
  readonly lasting: ReadonlyMap<string, NodePersistence>
  readonly persistence: Persistence | undefined
}

const LEAST_ZOOM = 0.3
const MOST_ZOOM = 1.6
/** Pixels beyond the view that are drawn already. */
const MARGIN = 240
const EDGE_LABELS_AT_MOST = 24

export function GraphView({ graph, selected, onSelect, onOpen, lasting, persistence }: Props) {
  const [measure, width] = useWidth<HTMLDivElement>(900)
  const scroller = useRef<HTMLDivElement | null>(null)
  const attach = useCallback(
    (element: HTMLDivElement | null) => {
      scroller.current = element
      measure(element)
    },
    [measure],
  )
  const [view, setView] = useState({ left: 0, top: 0, height: 700 })
  const [zoom, setZoom] = useState(1)
  const [hovered, setHovered] = useState<string | null>(null)
  /** What has the keyboard, and what it waits for: who takes over when it goes. */
  const [focused, setFocused] = useState<readonly string[]>([])
  const layout = useMemo(() => layoutWaitGraph(graph, width - 16), [graph, width])
  const byId = useMemo(() => new Map(layout.nodes.map((one) => [one.node.id, one])), [layout])
  const kindOf = useMemo(() => kindsOf(graph), [graph])
  const cyclic = useMemo(() => new Set(graph.cycles.flat()), [graph.cycles])
  const focus = hovered ?? selected
  const near = useMemo(
    () => (focus && byId.has(focus) ? connected(graph.edges, focus) : null),
    [graph.edges, focus, byId],
  )
  const shown = visibleIn(layout, {
    left: (view.left - MARGIN) / zoom,
    top: (view.top - MARGIN) / zoom,
    right: (view.left + width + MARGIN) / zoom,
    bottom: (view.top + view.height + MARGIN) / zoom,
  })
  const tabStop =
    [...focused.slice(0, 1), selected, ...focused.slice(1)].find((id) => byId.has(id)) ??
    layout.nodes[0]?.node.id ??
    null
  const focusOn = (id: string) => setFocused([id, ...blockersOf(graph.edges, id)])
  // The one that has the keyboard stays in the page, also out of sight.
  const stop = tabStop === null ? undefined : byId.get(tabStop)
  const boxes = stop && !shown.nodes.includes(stop) ? [...shown.nodes, stop] : shown.nodes
  const labelled = focus
    ? shown.edges
        .filter(({ edge }) => edge.source === focus || edge.target === focus)
        .slice(0, EDGE_LABELS_AT_MOST)
    : []
  const kinds = useMemo(
    () => [...new Set(graph.edges.map((edge) => edgeKind(edge, kindOf)))],
    [graph.edges, kindOf],
  )

  const look = () => {
    const at = scroller.current
    if (at) setView({ left: at.scrollLeft, top: at.scrollTop, height: at.clientHeight })
  }
  const reveal = (id: string) => {
    const one = byId.get(id)
    const at = scroller.current
    if (!one || !at) return
    const top = one.y * zoom
    const left = one.x * zoom
    if (top < at.scrollTop + 8) at.scrollTop = Math.max(0, top - 40)
    else if (top + 34 * zoom > at.scrollTop + at.clientHeight)
      at.scrollTop = top - at.clientHeight + 64
    if (left < at.scrollLeft) at.scrollLeft = Math.max(0, left - 16)
    else if (left + one.width * zoom > at.scrollLeft + at.clientWidth)
      at.scrollLeft = left + one.width * zoom - at.clientWidth + 16
  }
  // What is selected stays in sight, also when the inspector takes its share of the width.
  useEffect(() => {
    look()
    if (selected) reveal(selected)
    // eslint-disable-next-line react-hooks/exhaustive-deps -- follows what is selected, not each render
  }, [selected, width, layout])
  useEffect(() => {
    const [wanted] = focused
    if (!wanted) return
    const boxes = scroller.current?.querySelectorAll<HTMLElement>('[data-node-id]') ?? []
    const box = [...boxes].find((one) => one.dataset['nodeId'] === wanted)
    if (box && document.activeElement !== box) box.focus({ preventScroll: true })
  }, [focused])
  // React listens to the wheel passively; zooming must keep the page where it is.
  useEffect(() => {
    const at = scroller.current
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return
      event.preventDefault()
      setZoom((before) => clamp(before * (event.deltaY < 0 ? 1.15 : 1 / 1.15)))
    }
    at?.addEventListener('wheel', onWheel, { passive: false })
    return () => at?.removeEventListener('wheel', onWheel)
  }, [])

  const fit = () => {
    setZoom(clamp(Math.min(width / layout.width, view.height / layout.height)))
    if (scroller.current) scroller.current.scrollTop = 0
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === '+' || event.key === '-') {
      setZoom(clamp(zoom * (event.key === '+' ? 1.2 : 1 / 1.2)))
      return
    }
    if (event.key === 'f') return fit()
    const next = tabStop === null ? null : stepGraph(layout, tabStop, event.key)
    if (next === null) return
    event.preventDefault()
    focusOn(next)
    reveal(next)
    if (selected) onSelect(next) // the inspector follows
  }
  const tall = layout.height * zoom > view.height * 1.6
  return (
    <div className={cx('graph-frame', tall && 'tall')}>
      <div
        className="graph scroll"
        ref={attach}
        role="group"
        aria-label="Wait graph: arrows walk it, Space shows a node, Enter opens a group"
        onScroll={look}
        onKeyDown={onKeyDown}
        onPointerDown={(event) => pan(event)}
      >
        <div style={{ width: layout.width * zoom, height: layout.height * zoom }}>
          <div
            className="graph-canvas"
            style={{
              width: layout.width,
              height: layout.height,
              transform: zoom === 1 ? undefined : `scale(${zoom})`,
            }}
          >
            <svg width={layout.width} height={layout.height} aria-hidden="true">
              {shown.edges.map(({ edge, path, strokeWidth }) => (
                <path
                  key={`${edge.source}>${edge.target}${edge.mark}`}
                  d={path}
                  className={cx(
                    'graph-edge',
                    edge.kind === 'held_by' && 'held',
                    edge.inferred && 'inferred',
                    edge.mark && `mark-${edge.mark}`,
                    near && !near.has(edge.source) && 'far',
                  )}
                  strokeWidth={strokeWidth}
                  strokeDasharray={DASH[edgeKind(edge, kindOf)]}
                />
              ))}
            </svg>
            {boxes.map((placed) => (
              <NodeBox
                key={placed.node.id}
                placed={placed}
                cycle={cyclic.has(placed.node.id)}
                selected={placed.node.id === selected}
                far={near !== null && !near.has(placed.node.id)}
                tabStop={placed.node.id === tabStop}
                lasting={lasting}
                persistence={persistence}
                onSelect={onSelect}
                onOpen={onOpen}
                onHover={setHovered}
                onFocus={focusOn}
              />
            ))}
            {labelled.map(({ edge, x }) => (
              <span
                key={`${edge.source}>${edge.target}${edge.mark}`}
                className="graph-edge-label"
                style={{ left: x, top: rowOf(edge, focus, byId) }}
                aria-hidden="true"
              >
                {edgeLabel(edge)}
              </span>
            ))}
          </div>
        </div>
      </div>
      <div className="graph-foot">
        {kinds.map((kind) => (
          <span key={kind} className="graph-key">
            <svg width="26" height="8" aria-hidden="true">
              <line x1="0" x2="26" y1="4" y2="4" strokeDasharray={DASH[kind]} />
            </svg>
            {KIND[kind]}
          </span>
        ))}
        {graph.against !== null &&
          (['added', 'gone', 'kept'] as const).map((mark) => (
            <span key={mark} className="graph-key">
              <span className={cx('mark', `mark-${mark}`)}>{MARK[mark].sign}</span>
              {MARK[mark].word}
            </span>
          ))}
        <span className="graph-space" />
        <span className="muted">
          {graph.nodes.length} nodes, {graph.edges.length} edges
        </span>
        <Button
          size="small"
          variant="ghost"
          aria-label="Zoom out"
          title="Zoom out (-)"
          onClick={() => setZoom(clamp(zoom / 1.2))}
        >
          −
        </Button>
        <span className="graph-zoom">{Math.round(zoom * 100)} %</span>
        <Button
          size="small"
          variant="ghost"
          aria-label="Zoom in"
          title="Zoom in (+)"
          onClick={() => setZoom(clamp(zoom * 1.2))}
        >
          +
        </Button>
        <Button size="small" variant="ghost" title="The whole graph (f)" onClick={fit}>
          Fit
        </Button>
        {zoom !== 1 && (
          <Button size="small" variant="ghost" onClick={() => setZoom(1)}>
            100 %
          </Button>
        )}
      </div>
      {tall && (
        <Minimap
          layout={layout}
          top={view.top / zoom}
          height={view.height / zoom}
          onGo={(top) => {
            if (scroller.current) scroller.current.scrollTop = top * zoom
          }}
        />
      )}
    </div>
  )
}

/** An edge is labelled in the row of its other end, so that the labels of a fan stand apart. */
function rowOf(edge: WaitEdge, focus: string, byId: ReadonlyMap<string, PlacedNode>): number {
  const other = byId.get(edge.source === focus ? edge.target : edge.source)
  return other ? other.y + other.height / 2 : 0
}

/** Dragging the ground moves the view; nodes keep their clicks. */
function pan(event: PointerEvent<HTMLDivElement>) {
  const at = event.currentTarget
  if (event.button !== 0 || (event.target as HTMLElement).closest('button')) return
  const from = { x: event.clientX + at.scrollLeft, y: event.clientY + at.scrollTop }
  const move = (moved: globalThis.PointerEvent) => {
    at.scrollLeft = from.x - moved.clientX
    at.scrollTop = from.y - moved.clientY
  }
  const end = () => {
    window.removeEventListener('pointermove', move)
    window.removeEventListener('pointerup', end)
  }
  window.addEventListener('pointermove', move)
  window.addEventListener('pointerup', end)
}

function clamp(zoom: number): number {
  return Math.min(MOST_ZOOM, Math.max(LEAST_ZOOM, zoom))
}
