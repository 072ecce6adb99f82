/** The foot of the graph: its legend, how large the graph is, and its zoom. */
import type { ReactNode } from 'react'
import { formatCount } from '@/format'
import { Button } from '@/ui/controls/Button'
import type { WaitGraph } from '../waitGraph'
import type { GraphViewport } from './useGraphViewport'

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
  return (
    <div className="graph-foot">
      {children}
      <span className="muted">
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
        <span className="graph-zoom">{Math.round(viewport.scale * 100)} %</span>
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
            100 %
          </Button>
        )}
      </span>
    </div>
  )
}
