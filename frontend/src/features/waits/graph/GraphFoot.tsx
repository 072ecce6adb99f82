/** The foot of the graph: what dashes and marks mean, how large the graph is, and its zoom. */
import { useMemo } from 'react'
import { Button } from '@/ui/controls/Button'
import { cx } from '@/ui/controls/cx'
import { DASH, edgeKind, KIND, MARK } from '../nodeText'
import type { WaitGraph, WaitNode } from '../waitGraph'
import type { GraphViewport } from './useGraphViewport'

export function GraphFoot({
  graph,
  kindOf,
  viewport,
}: {
  readonly graph: WaitGraph
  readonly kindOf: ReadonlyMap<string, WaitNode['of']>
  readonly viewport: GraphViewport
}) {
  const kinds = useMemo(
    () => [...new Set(graph.edges.map((edge) => edgeKind(edge, kindOf)))],
    [graph.edges, kindOf],
  )
  return (
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
    </div>
  )
}
