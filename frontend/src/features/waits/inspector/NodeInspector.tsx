/** Everything of one node, joined over the layers, down to the raw lines. */
import { formatCount } from '@/format'
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from 'react-router'
import { sharedSearch } from '@/state/url'
import { Button } from '@/ui/controls/Button'
import { Evidence } from '@/ui/evidence/evidence'
import { Inspector, InspectorSection } from '@/ui/panels/Inspector'
import { PinButton } from '@/ui/evidence/pin'
import { KIND, MARK, type NodePersistence, type Persistence } from '../nodeText'
import { nodeQuery } from '../queries'
import type { WaitGraph, WaitNode } from '../waitGraph'
import { NodeEdges } from './NodeEdges'
import { NodeFields } from './NodeFields'
import { nodePin, plainId } from './nodePins'
import { LatchSection, MembersSection, StackSection } from './NodeSections'
import { SqlText } from './SqlText'

type Props = {
  readonly incidentId: string
  readonly graph: WaitGraph
  readonly node: WaitNode
  readonly stuck: NodePersistence | null
  readonly persistence: Persistence | undefined
  readonly onSelect: (id: string) => void
  /** Shows a thread that is folded away. */
  readonly onFind: (id: string) => void
  readonly onOpen: () => void
  readonly onClose: () => void
}

export function NodeInspector(props: Props) {
  const { incidentId, graph, node: drawn, stuck, persistence, onSelect, onFind } = props
  const { search } = useLocation()
  const moment = drawn.mark === 'gone' ? graph.against : graph.at
  // A group of a difference is of both moments, a node of the one in which it is.
  const detail = useQuery(
    drawn.kind === 'group' && graph.against
      ? nodeQuery(incidentId, graph.at ?? 'worst', drawn.id, graph.against)
      : nodeQuery(incidentId, moment ?? 'worst', plainId(drawn.id)),
  )
  const joined = detail.data
  const members = joined?.members ?? []
  // A group shows what its members share; one thread, everything that the layers know of it.
  const node: WaitNode =
    joined && drawn.kind !== 'group' ? { ...joined.node, id: drawn.id, mark: drawn.mark } : drawn
  const edges = graph.edges.filter((edge) => edge.source === node.id || edge.target === node.id)
  const source = node.locators[0] ?? joined?.node.locators[0]
  const frames = joined?.frames.length ? joined.frames : node.stack
  return (
    <Inspector
      title={<span className="mono">{node.label}</span>}
      subtitle={subtitleOf(node)}
      onClose={props.onClose}
      actions={
        <PinButton incidentId={incidentId} pin={() => nodePin(graph, node, moment, source)} />
      }
    >
      <section className="inspector-section">
        {node.kind === 'group' && (
          <Button size="small" onClick={props.onOpen}>
            Open the {formatCount(node.members, 'member')}
          </Button>
        )}
        <NodeFields node={node} stuck={stuck} persistence={persistence} />
        {joined?.stack_artifact && (
          <Link
            className="follow"
            data-testid="follow-thread"
            to={`../stacks${sharedSearch(search, {
              sample: `${joined.stack_artifact}:${joined.stack_snapshot ?? 0}`,
              ...(joined.stack_key ? { group: joined.stack_key } : {}),
              ...(node.thread_id ? { thread: node.thread_id } : {}),
            })}`}
          >
            Follow the thread in the stacks
          </Link>
        )}
      </section>
      {detail.isError && drawn.kind !== 'group' && (
        <p className="muted inspector-section">
          More of this node could not be read: {detail.error.message}
        </p>
      )}
      {node.query && (
        <InspectorSection title={node.kind === 'group' ? 'Statement of one of them' : 'Statement'}>
          <SqlText sql={node.query} />
        </InspectorSection>
      )}
      <StackSection frames={frames} />
      {members.length > 0 && <MembersSection node={node} members={members} onFind={onFind} />}
      {node.meaning && (
        <InspectorSection title="What it means">
          <p>{node.meaning}</p>
        </InspectorSection>
      )}
      {joined?.latch && <LatchSection latch={joined.latch} meaning={node.meaning ?? ''} />}
      {edges.length > 0 && (
        <InspectorSection title="Edges">
          <NodeEdges
            incidentId={incidentId}
            moment={moment}
            edges={edges}
            graph={graph}
            node={node}
            onSelect={onSelect}
          />
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

function subtitleOf(node: WaitNode): string {
  const parts = [
    node.of ? `group: ${KIND[node.of] ?? node.of}` : KIND[node.kind],
    node.root && 'root blocker',
    node.inferred && 'inferred',
    node.mark && MARK[node.mark].word,
  ]
  return parts.filter(Boolean).join(', ')
}
