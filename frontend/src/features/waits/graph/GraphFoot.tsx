/** The foot of the graph: its legend, how large the graph is, and its zoom. */
import { type ReactNode, useState } from 'react'
import { formatCount } from '@/format'
import { Button } from '@/ui/controls/Button'
import type { WaitGraph } from '../waitGraph'
import type { GraphViewport } from './useGraphViewport'

/** In a low window the boxes need the room of the legend, which a button opens. */
const isLow = () =>
  typeof window.matchMedia === 'function' && window.matchMedia('(height < 860px)').matches

export function GraphFoot({
  graph,
  viewport,
  children,
}: {
  readonly graph: WaitGraph
  readonly viewport: GraphViewport
  /** The legend. */
  readonly children: ReactNode
}) {
  const [isOpen, setOpen] = useState(() => !isLow())
  return (
    <div className="graph-foot">
      {isOpen && children}
      <Button size="small" variant="ghost" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? 'Hide the legend' : 'Legend'}
      </Button>
      <span className="muted graph-size">
        {formatCount(graph.nodes.length, 'node')}, {formatCount(graph.edges.length, 'edge')}
      </span>
      <span className="graph-zooms">
        <Button
          size="small"
          variant="ghost"
          aria-label="Zoom out"
          title="Zoom out (-)"
          onClick={viewport.zoomOut}
        >
          −
        </Button>
        <span className="graph-zoom">{Math.round(viewport.scale * 100)}%</span>
        <Button
          size="small"
          variant="ghost"
          aria-label="Zoom in"
          title="Zoom in (+)"
          onClick={viewport.zoomIn}
        >
          +
        </Button>
        <Button size="small" variant="ghost" title="The whole graph (f)" onClick={viewport.fit}>
          Fit
        </Button>
        {viewport.scale !== 1 && (
          <Button size="small" variant="ghost" onClick={viewport.zoomToOriginal}>
            100%
          </Button>
        )}
      </span>
    </div>
  )
}
