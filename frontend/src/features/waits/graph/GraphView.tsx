/**
 * The layered graph: roots at the left, waiters to the right; boxes are buttons, edges are curves.
 * Only what is in sight is in the page, so that thousands of nodes scroll as smoothly as ten.
 */
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useWidth } from '@/charts/useWidth'
import { cx } from '@/ui/controls/cx'
import { Tooltip, useTip } from '@/ui/display/Tooltip'
import {
  kindsOf,
  type NodePersistence,
  persistenceOf,
  type Persistence,
  persistenceText,
  queuePlaces,
} from '../nodeText'
import { blockersOf, connected } from '@/charts/graphWalk'
import type { WaitGraph, WaitNode } from '../waitGraph'
import { EdgeLabels, Edges } from './Edges'
import { GraphFoot } from './GraphFoot'
import { GraphText } from './GraphText'
import { stepGraph } from './keyboardSteps'
import { type GraphLayout, layoutWaitGraph, visibleIn } from './layout'
import { Legend } from './Legend'
import { Minimap } from './Minimap'
import { NodeBox, type Stuck } from './NodeBox'
import { NodeTip } from './NodeTip'
import { useGraphMotion } from './useGraphMotion'
import { type GraphViewport, useGraphViewport } from './useGraphViewport'

type Props = {
  readonly graph: WaitGraph
  readonly selected: string
  readonly onSelect: (id: string) => void
  /** Opens a group to its members. */
  readonly onOpen: (id: string) => void
  readonly lasting: ReadonlyMap<string, NodePersistence>
  readonly persistence: Persistence | undefined
}

/** Pixels beyond the view that are drawn already. */
const MARGIN = 240
const NEVER_STUCK: Stuck = { of: 0, seen: null, text: '' }

export function GraphView(props: Props) {
  const { graph, selected, onSelect, onOpen, lasting, persistence } = props
  const [measure, width] = useWidth<HTMLDivElement>(900)
  const [frame, setFrame] = useState<HTMLDivElement | null>(null)
  const canvas = useRef<HTMLDivElement>(null)
  const attach = useCallback(
    (element: HTMLDivElement | null) => {
      setFrame(element)
      measure(element)
    },
    [measure],
  )
  const [frameHeight, setFrameHeight] = useState(Infinity)
  const { layout, isSteady } = useSteadyLayout(graph, width - 16, frameHeight)
  const viewport = useGraphViewport(frame, layout)
  const { left, top, height, scale, reveal, followScroll, fitAtOnce } = viewport
  const [hovered, setHovered] = useState<string | null>(null)
  const { tip, show, hide } = useTip<string>()
  const byId = useMemo(
    () => new Map(layout.nodes.map((placed) => [placed.node.id, placed])),
    [layout],
  )
  const kindOf = useMemo(() => kindsOf(graph), [graph])
  const queue = useMemo(() => queuePlaces(graph), [graph])
  const inCycle = useMemo(() => new Set(graph.cycles.flat()), [graph.cycles])
  const highlighted = hovered ?? selected
  const related = useMemo(
    () => (highlighted && byId.has(highlighted) ? connected(graph.edges, highlighted) : null),
    [graph.edges, highlighted, byId],
  )
  const { tabStop, focusOn, onKeyDown } = useGraphKeys({
    ...{ graph, layout, frame, selected, onSelect, viewport },
  })
  useEffect(() => fitAtOnce(isSteady), [fitAtOnce, isSteady, width, layout])
  // A panel that arrives later takes height of the frame.
  useEffect(() => {
    if (!frame) return
    const observer = new ResizeObserver(() => {
      setFrameHeight(frame.clientHeight || Infinity)
      fitAtOnce(true)
    })
    observer.observe(frame)
    return () => observer.disconnect()
  }, [frame, fitAtOnce])
  // What is selected stays in sight, also when the inspector takes its share of the width.
  useEffect(() => {
    followScroll()
    const placed = byId.get(selected)
    if (placed) reveal(placed)
    // eslint-disable-next-line react-hooks/exhaustive-deps -- follows what is selected, not each render
  }, [selected, frame, width, layout])
  useGraphMotion(canvas, graph.at)

  const stuckOf = (node: WaitNode): Stuck => {
    const seen = persistence && persistence.of > 1 ? persistenceOf(node, lasting) : null
    if (!seen || !persistence) return NEVER_STUCK
    return { of: persistence.of, seen, text: persistenceText(seen, persistence) }
  }
  const point = (id: string | null, box?: Element) => {
    setHovered(id)
    if (id !== null && box) show(id, box)
    else hide()
  }
  const shown = visibleIn(layout, {
    left: (left - MARGIN) / scale,
    top: (top - MARGIN) / scale,
    right: (left + width + MARGIN) / scale,
    bottom: (top + height + MARGIN) / scale,
  })
  // The one that has the keyboard stays in the page, also out of sight.
  const stop = tabStop === null ? undefined : byId.get(tabStop)
  const boxes = stop && !shown.nodes.includes(stop) ? [...shown.nodes, stop] : shown.nodes
  // Rows that go on below; cards are few.
  const isTall = layout.dense && layout.height * scale > height * 1.6
  return (
    <div className={cx('graph-frame', isTall && 'tall')}>
      <div
        className="graph scroll"
        ref={attach}
        role="group"
        aria-label="Wait graph: arrows walk it, Space shows a node, Enter opens a group"
        onScroll={followScroll}
        onKeyDown={onKeyDown}
      >
        <div style={{ width: layout.width * scale, height: layout.height * scale }}>
          <div
            className="graph-canvas"
            ref={canvas}
            style={{
              width: layout.width,
              height: layout.height,
              transform: scale === 1 ? undefined : `scale(${scale})`,
            }}
          >
            <Edges {...{ layout, kindOf, queue, related }} edges={shown.edges} />
            {boxes.map((placed) => (
              <NodeBox
                key={placed.key}
                placed={placed}
                cycle={inCycle.has(placed.node.id)}
                selected={placed.node.id === selected}
                far={related !== null && !related.has(placed.node.id)}
                tabStop={placed.node.id === tabStop}
                queue={queue.get(placed.node.id)}
                stuck={stuckOf(placed.node)}
                onSelect={onSelect}
                onOpen={onOpen}
                onPoint={point}
                onFocus={(id, box) => {
                  focusOn(id)
                  if (box.matches(':focus-visible')) show(id, box)
                }}
              />
            ))}
            <EdgeLabels edges={shown.edges} end={highlighted} byId={byId} />
          </div>
        </div>
      </div>
      <GraphText graph={graph} queue={queue} />
      <GraphFoot graph={graph} viewport={viewport}>
        <Legend
          {...{ graph, kindOf, queue }}
          dense={layout.dense}
          hasArrows={layout.edges.some((edge) => edge.backward)}
          moments={persistence?.of ?? 0}
        />
      </GraphFoot>
      {isTall && (
        <Minimap
          layout={layout}
          top={top / scale}
          height={height / scale}
          onGo={viewport.scrollTo}
        />
      )}
      <Tooltip tip={tip} onHide={hide}>
        {(id) => {
          const node = byId.get(id)?.node
          return node && <NodeTip node={node} queue={queue.get(id)} stuck={stuckOf(node).text} />
        }}
      </Tooltip>
    </div>
  )
}

/**
 * The layout of a graph; of another moment, folded or not, with what stays where it was. The height of
 * the frame counts until then: the headings of moments differ, and nothing shall move for that.
 */
function useSteadyLayout(graph: WaitGraph, width: number, height: number) {
  const [known, setKnown] = useState(() => ({
    ...{ graph, width, height, isSteady: false },
    layout: layoutWaitGraph(graph, width, null, height),
  }))
  const isSameSize = known.width === width && (known.isSteady || known.height === height)
  if (known.graph === graph && isSameSize) return known
  const isSteady =
    known.width === width &&
    (known.graph === graph
      ? known.isSteady
      : known.graph.at !== graph.at && known.graph.against === graph.against)
  const next = {
    ...{ graph, width, height: isSteady ? known.height : height, isSteady },
    layout: isSteady
      ? layoutWaitGraph(graph, width, known.layout, known.height)
      : layoutWaitGraph(graph, width, null, height),
  }
  setKnown(next)
  return next
}

/** One node is the tab stop; arrows and letters move it along the graph. */
function useGraphKeys({
  graph,
  layout,
  frame,
  selected,
  onSelect,
  viewport,
}: {
  readonly graph: WaitGraph
  readonly layout: GraphLayout
  readonly frame: HTMLElement | null
  readonly selected: string
  readonly onSelect: (id: string) => void
  readonly viewport: GraphViewport
}) {
  /** What has the keyboard, and what it waits for: who takes over when it goes. */
  const [focused, setFocused] = useState<readonly string[]>([])
  const ids = useMemo(() => new Set(layout.nodes.map(({ node }) => node.id)), [layout])
  const tabStop =
    [...focused.slice(0, 1), selected, ...focused.slice(1)].find((id) => ids.has(id)) ??
    layout.nodes[0]?.node.id ??
    null
  const focusOn = (id: string) => setFocused([id, ...blockersOf(graph.edges, id)])
  useEffect(() => {
    const [wanted] = focused
    if (!wanted) return
    const boxes = frame?.querySelectorAll<HTMLElement>('[data-node-id]') ?? []
    const box = [...boxes].find((element) => element.dataset['nodeId'] === wanted)
    if (box && document.activeElement !== box) box.focus({ preventScroll: true })
  }, [focused, frame])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === '+') return viewport.zoomIn()
    if (event.key === '-') return viewport.zoomOut()
    if (event.key === 'f') return viewport.fit()
    const next = tabStop === null ? null : stepGraph(layout, tabStop, event.key)
    if (next === null) return
    event.preventDefault()
    focusOn(next)
    const placed = layout.nodes.find(({ node }) => node.id === next)
    if (placed) viewport.reveal(placed)
    if (selected) onSelect(next) // the inspector follows
  }
  return { tabStop, focusOn, onKeyDown }
}
