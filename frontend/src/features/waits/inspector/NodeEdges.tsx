/** The edges of a node, each with its other end, how sure it is, and a pin. */
import { PinButton } from '@/ui/evidence/pin'
import { MARK } from '../nodeText'
import type { WaitEdge, WaitGraph, WaitNode } from '../waitGraph'
import { edgePin } from './nodePins'
import { Sure } from './Sure'

const EDGES_SHOWN = 40

export function NodeEdges({
  incidentId,
  moment,
  edges,
  graph,
  node,
  onSelect,
}: {
  readonly incidentId: string
  readonly moment: string | null
  readonly edges: readonly WaitEdge[]
  readonly graph: WaitGraph
  readonly node: WaitNode
  readonly onSelect: (id: string) => void
}) {
  const labels = new Map(graph.nodes.map(({ id, label }) => [id, label]))
  const label = (id: string) => labels.get(id) ?? id
  return (
    <>
      <ul className="waits-edges">
        {edges.slice(0, EDGES_SHOWN).map((edge) => {
          const other = edge.source === node.id ? edge.target : edge.source
          return (
            <li key={`${edge.source}>${edge.target}${edge.mark}`}>
              {edge.mark !== 'gone' && (
                <PinButton incidentId={incidentId} pin={() => edgePin(graph, edge, moment, label)}>
                  Pin
                </PinButton>
              )}
              {edge.mark && (
                <span className={`mark mark-${edge.mark}`} title={MARK[edge.mark].word}>
                  {MARK[edge.mark].sign}
                </span>
              )}
              {verbOf(edge, node.id)}{' '}
              <button type="button" className="linklike mono" onClick={() => onSelect(other)}>
                {label(other)}
              </button>
              {edge.mode && <span className="muted"> {edge.mode}</span>}{' '}
              <Sure value={edge.confidence} inferred={edge.inferred} />
              {edge.note && <div className="muted">{edge.note}</div>}
              {edge.source_site && <div className="muted mono">{edge.source_site}</div>}
            </li>
          )
        })}
      </ul>
      {edges.length > EDGES_SHOWN && (
        <p className="muted">
          {EDGES_SHOWN} of {edges.length} edges; the table has all.
        </p>
      )}
    </>
  )
}

/** How an edge reads from one of its ends. */
function verbOf(edge: WaitEdge, nodeId: string): string {
  if (edge.source === nodeId) return edge.kind === 'waits_for' ? 'waits for' : 'held by'
  return edge.kind === 'waits_for' ? 'waited for by' : 'holds'
}
