/** Everything of one node, joined over the layers, down to the raw lines. */
import { Button } from '@/ui/Button'
import { Evidence } from '@/ui/evidence'
import { Fields, Inspector, InspectorSection } from '@/ui/Inspector'
import { PinButton } from '@/ui/pin'
import { Duration } from '@/ui/Value'
import type { WaitGraph, WaitNode } from './layout'
import { SqlText } from './SqlText'
import { claim, KIND } from './words'

type Props = {
  incidentId: string
  graph: WaitGraph
  node: WaitNode
  onSelect: (id: string) => void
  onOpen: () => void
  onClose: () => void
}

export function NodeInspector({ incidentId, graph, node, onSelect, onOpen, onClose }: Props) {
  const edges = graph.edges.filter((e) => e.source === node.id || e.target === node.id)
  const first = node.locators[0]
  return (
    <Inspector
      title={<span className="mono">{node.label}</span>}
      subtitle={`${KIND[node.kind]}${node.root ? ', root blocker' : ''}${node.inferred ? ', inferred' : ''}`}
      onClose={onClose}
      actions={
        <PinButton
          incidentId={incidentId}
          pin={() => ({
            kind: 'wait_node',
            title: claim(node),
            locator: {
              at: graph.at,
              node: node.id,
              artifact: first?.artifact ?? null,
              path: first?.path ?? null,
              line_first: first?.line_first ?? null,
              line_last: first?.line_last ?? null,
              series: null,
              start: null,
              end: null,
              value: String(node.blocks_total),
            },
          })}
        />
      }
    >
      <section className="inspector-section">
        {node.kind === 'group' && (
          <Button size="small" onClick={onOpen}>
            Open the {node.members} members
          </Button>
        )}
        <Fields
          items={[
            node.blocks_total > 0 && [
              'Blocks',
              `${node.blocks_total} (${node.blocks_direct} directly)`,
            ],
            node.members > 1 && ['Threads', node.members],
            node.waiting && [
              'Waits',
              node.waited_s === null ? 'yes' : <Duration key="w" value={node.waited_s} />,
            ],
            node.mode !== null && ['Mode', node.mode],
            node.session_id !== null && ['Session', node.session_id],
            node.trx_id !== null && [
              'Transaction',
              <span key="t" className="mono">
                {node.trx_id}
              </span>,
            ],
            node.trx_active_s !== null && [
              'Active for',
              <Duration key="a" value={node.trx_active_s} />,
            ],
            node.undo_entries !== null && ['Undo entries', node.undo_entries],
            node.row_locks !== null && ['Row locks', node.row_locks],
            node.user !== null && ['User', node.user],
            node.command !== null && ['Command', node.command],
            node.state !== null && ['State', node.state],
            node.thread_id !== null && [
              'OS thread',
              <span key="o" className="mono">
                {node.thread_id}
              </span>,
            ],
            node.address !== null && [
              'Address',
              <span key="d" className="mono">
                {node.address}
              </span>,
            ],
            node.latch !== null && [
              'Latch',
              <span key="l" className="mono">
                {node.latch}
              </span>,
            ],
            node.join !== '' && [node.kind === 'group' ? 'One of them' : 'Joined by', node.join],
          ]}
        />
      </section>
      {node.meaning && (
        <InspectorSection title="What it means">
          <p>{node.meaning}</p>
        </InspectorSection>
      )}
      {node.query && (
        <InspectorSection title="Statement">
          <SqlText sql={node.query} />
        </InspectorSection>
      )}
      {edges.length > 0 && (
        <InspectorSection title="Edges">
          <ul className="waits-edges">
            {edges.slice(0, 40).map((edge) => {
              const other = edge.source === node.id ? edge.target : edge.source
              const name = graph.nodes.find((n) => n.id === other)?.label ?? other
              const verb =
                edge.source === node.id
                  ? edge.kind === 'waits_for'
                    ? 'waits for'
                    : 'held by'
                  : edge.kind === 'waits_for'
                    ? 'waited for by'
                    : 'holds'
              return (
                <li key={`${edge.source}>${edge.target}`}>
                  {verb}{' '}
                  <button type="button" className="linklike mono" onClick={() => onSelect(other)}>
                    {name}
                  </button>
                  {edge.mode && <span className="muted"> {edge.mode}</span>}
                  {edge.note && <div className="muted">{edge.note}</div>}
                </li>
              )
            })}
          </ul>
        </InspectorSection>
      )}
      {node.stack.length > 0 && (
        <InspectorSection title="Stack, innermost first">
          <ol className="waits-stack mono">
            {node.stack.map((name, index) => (
              <li key={index}>{name}</li>
            ))}
          </ol>
        </InspectorSection>
      )}
      {node.locators.length > 0 && (
        <InspectorSection title="Raw lines">
          <ul className="waits-sources">
            {node.locators.map((locator, index) => (
              <li key={index}>
                <Evidence incidentId={incidentId} locator={locator} />
              </li>
            ))}
          </ul>
        </InspectorSection>
      )}
    </Inspector>
  )
}
