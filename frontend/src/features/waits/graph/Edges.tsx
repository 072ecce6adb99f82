/** The edges of the graph as curves, and the labels of those at the highlighted node. */
import { cx } from '@/ui/controls/cx'
import { DASH, edgeKind, edgeLabel, type QueuePlace } from '../nodeText'
import type { WaitEdge, WaitNode } from '../waitGraph'
import type { GraphLayout, PlacedEdge, PlacedNode } from './layout'

const EDGE_LABELS_AT_MOST = 24

/** At what a waiter waits for, where that is not at its left. */
const ARROW = {
  ...{ viewBox: '0 0 6 6', refX: 6, refY: 3, orient: 'auto' },
  ...{ markerWidth: 9, markerHeight: 9, markerUnits: 'userSpaceOnUse' },
}

const keyOf = (edge: WaitEdge) => `${edge.source}>${edge.target}${edge.mark}`

export function Edges({
  layout,
  edges,
  kindOf,
  queue,
  related,
}: {
  readonly layout: GraphLayout
  readonly edges: readonly PlacedEdge[]
  readonly kindOf: ReadonlyMap<string, WaitNode['of']>
  readonly queue: ReadonlyMap<string, QueuePlace>
  /** The nodes that are connected to the highlighted one; null when none is highlighted. */
  readonly related: ReadonlySet<string> | null
}) {
  return (
    <svg width={layout.width} height={layout.height} aria-hidden="true">
      <defs>
        <marker id="wait-arrow" {...ARROW}>
          <path d="M0,0L6,3L0,6z" fill="context-stroke" />
        </marker>
      </defs>
      {edges.map(({ edge, key, path, strokeWidth, backward }) => (
        <path
          key={key}
          data-edge={key}
          d={path}
          className={cx(
            'graph-edge',
            edge.kind === 'held_by' && (queue.get(edge.target)?.place === 'next' ? 'next' : 'held'),
            edge.inferred && 'inferred',
            edge.mark && `mark-${edge.mark}`,
            related && !related.has(edge.source) && 'far',
          )}
          strokeWidth={strokeWidth}
          strokeDasharray={DASH[edgeKind(edge, kindOf)]}
          markerEnd={backward ? 'url(#wait-arrow)' : undefined}
        />
      ))}
    </svg>
  )
}

/** Labels the edges that start or end at a node. */
export function EdgeLabels({
  edges,
  end,
  byId,
}: {
  readonly edges: readonly PlacedEdge[]
  readonly end: string
  readonly byId: ReadonlyMap<string, PlacedNode>
}) {
  if (!end) return null
  return edges
    .filter(({ edge }) => edge.source === end || edge.target === end)
    .slice(0, EDGE_LABELS_AT_MOST)
    .map(({ edge, x }) => (
      <span
        key={keyOf(edge)}
        className="graph-edge-label"
        style={{ left: x, top: labelTop(edge, end, byId) }}
        aria-hidden="true"
      >
        {edgeLabel(edge)}
      </span>
    ))
}

/** A label is in the row of the edge's other end, so that the labels of a fan do not overlap. */
function labelTop(edge: WaitEdge, end: string, byId: ReadonlyMap<string, PlacedNode>): number {
  const other = byId.get(edge.source === end ? edge.target : edge.source)
  return other ? other.y + other.height / 2 : 0
}
