/** Everything of one node, joined over the layers, down to the raw lines. */
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from 'react-router'
import { formatNumber } from '@/format'
import { sharedSearch } from '@/state/url'
import { Button } from '@/ui/controls/Button'
import { Evidence } from '@/ui/evidence/evidence'
import { Fields, Inspector, InspectorSection } from '@/ui/panels/Inspector'
import { MAX_PICTURE, PinButton, type PinDraft } from '@/ui/evidence/pin'
import { Duration, Time } from '@/ui/display/Value'
import { nearSvg } from '../graph/drawing'
import type { WaitEdge, WaitGraph, WaitNode } from '../waitGraph'
import { nodeQuery } from '../queries'
import { SqlText } from './SqlText'
import {
  nodeClaim,
  edgeClaim,
  KIND,
  type NodePersistence,
  MARK,
  type Persistence,
  persistenceText,
  missingPersistenceText,
} from '../nodeText'

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

const EDGES_SHOWN = 40

export function NodeInspector(props: Props) {
  const { incidentId, graph, node: known, stuck, persistence, onSelect, onFind } = props
  const { search } = useLocation()
  const moment = (known.mark === 'gone' ? graph.against : graph.at) ?? 'worst'
  const asked = plainId(known.id)
  // A group of a difference is of both moments, a node of the one in which it is.
  const detail = useQuery(
    known.kind === 'group' && graph.against
      ? nodeQuery(incidentId, graph.at ?? 'worst', known.id, graph.against)
      : nodeQuery(incidentId, moment, asked),
  )
  const told = detail.data
  // A group shows what its members share; one thread, all that the layers say of it.
  const node: WaitNode =
    told && known.kind !== 'group' ? { ...told.node, id: known.id, mark: known.mark } : known
  const edges = graph.edges.filter((e) => e.source === node.id || e.target === node.id)
  const first = node.locators[0] ?? told?.node.locators[0]
  const frames = told?.frames.length ? told.frames : node.stack
  const said = [
    node.of ? `group: ${KIND[node.of] ?? node.of}` : KIND[node.kind],
    node.root && 'root blocker',
    node.inferred && 'inferred',
    node.mark && MARK[node.mark].word,
  ]
  return (
    <Inspector
      title={<span className="mono">{node.label}</span>}
      subtitle={said.filter(Boolean).join(', ')}
      onClose={props.onClose}
      actions={
        <PinButton
          incidentId={incidentId}
          pin={() => ({
            kind: 'wait_node',
            title: nodeClaim(node),
            picture: small(nearSvg(graph, [known.id], nodeClaim(node))),
            locator: {
              at: moment,
              node: asked,
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
          <Button size="small" onClick={props.onOpen}>
            Open the {node.members} members
          </Button>
        )}
        <Fields
          items={[
            node.blocks_total > 0 && [
              'Blocks',
              `${node.blocks_total} (${node.blocks_direct} directly)`,
            ],
            persistence !== undefined && [
              'Stuck',
              stuck !== null && persistence.of > 1 ? (
                <span key="k">
                  {persistenceText(stuck, persistence)}
                  {stuck.first !== stuck.last && (
                    <span className="muted">
                      , <Time at={stuck.first} /> to <Time at={stuck.last} />
                    </span>
                  )}
                  {node.kind === 'group' && (
                    <span className="muted">: a group of this kind, of three or more</span>
                  )}
                </span>
              ) : (
                <span key="k" className="muted">
                  {missingPersistenceText(node, persistence)}
                </span>
              ),
            ],
            stuck !== null &&
              stuck.blocked_thread_s > 0 && [
                'Cost',
                `${formatNumber(stuck.blocked_thread_s, 0)} thread-seconds blocked`,
              ],
            node.members > 1 && [node.of === 'thread' ? 'Threads' : 'Members', node.members],
            node.waiting && [
              'Waits',
              node.waited_s === null ? 'yes' : <Duration key="w" value={node.waited_s} />,
            ],
            node.mode !== null && ['Mode', node.mode],
            node.session_id !== null && ['Session', node.session_id],
            node.trx_id !== null && ['Transaction', mono(node.trx_id)],
            node.trx_active_s !== null && [
              'Active for',
              <Duration key="a" value={node.trx_active_s} />,
            ],
            node.undo_entries !== null && ['Undo entries', node.undo_entries],
            node.row_locks !== null && ['Row locks', node.row_locks],
            node.user !== null && ['User', node.user],
            node.command !== null && ['Command', node.command],
            node.state !== null && ['State', node.state],
            node.thread_id !== null && ['OS thread', mono(node.thread_id)],
            node.address !== null && ['Address', mono(node.address)],
            node.latch !== null && ['Latch', mono(node.latch)],
            node.joins.length > 0 && [
              node.kind === 'group' ? 'One of them' : 'Joined by',
              <ul key="j" className="waits-joins">
                {node.joins.map((join) => (
                  <li key={join.why}>
                    {join.why} <Sure value={join.confidence} />
                  </li>
                ))}
              </ul>,
            ],
          ]}
        />
        {told?.stack_artifact && (
          <Link
            className="follow"
            data-testid="follow-thread"
            to={`../stacks${sharedSearch(search, {
              sample: `${told.stack_artifact}:${told.stack_snapshot ?? 0}`,
              ...(told.stack_key ? { group: told.stack_key } : {}),
              ...(node.thread_id ? { thread: node.thread_id } : {}),
            })}`}
          >
            Follow the thread in the stacks
          </Link>
        )}
      </section>
      {detail.isError && known.kind !== 'group' && (
        <p className="muted inspector-section">
          More of this node could not be read: {detail.error.message}
        </p>
      )}
      {node.meaning && (
        <InspectorSection title="What it means">
          <p>{node.meaning}</p>
        </InspectorSection>
      )}
      {told?.latch && (
        <InspectorSection title={`The latch ${told.latch.id}`}>
          <Fields
            items={[
              ['What it is', `${told.latch.kind}, ${told.latch.subsystem}`],
              told.latch.shared_by !== '' && ['Shared by', told.latch.shared_by],
              told.latch.exclusive_by !== '' && ['Exclusive by', told.latch.exclusive_by],
              told.latch.contention_means !== (node.meaning ?? '') && [
                'Contention means',
                told.latch.contention_means,
              ],
              told.latch.check.length > 0 && ['Look at', told.latch.check.join('; ')],
              told.latch.knobs.length > 0 && ['Settings', mono(told.latch.knobs.join(', '))],
            ]}
          />
        </InspectorSection>
      )}
      {node.query && (
        <InspectorSection title={node.kind === 'group' ? 'Statement of one of them' : 'Statement'}>
          <SqlText sql={node.query} />
        </InspectorSection>
      )}
      {told !== undefined && told.members.length > 0 && (
        <InspectorSection title="Members">
          <ol className="waits-members">
            {told.members.map((member) => (
              <li key={member.id}>
                <button
                  type="button"
                  className="linklike mono"
                  title="Show it on its own"
                  onClick={() => onFind(member.id)}
                >
                  {member.label}
                </button>{' '}
                {member.blocks_total > 0 && (
                  <span className="muted">blocks {formatNumber(member.blocks_total, 0)} </span>
                )}
                <Duration value={member.waited_s} />
              </li>
            ))}
          </ol>
          {node.members > told.members.length && (
            <p className="muted">
              The first {told.members.length} of {node.members}: those that block most, then the
              longest waits.
            </p>
          )}
        </InspectorSection>
      )}
      {edges.length > 0 && (
        <InspectorSection title="Edges">
          <Edges
            incidentId={incidentId}
            moment={moment}
            edges={edges}
            graph={graph}
            node={node}
            onSelect={onSelect}
          />
        </InspectorSection>
      )}
      {frames.length > 0 && (
        <InspectorSection title="Stack, innermost first">
          <ol className="waits-stack mono">
            {frames.map((name, index) => (
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

function Edges({
  incidentId,
  moment,
  edges,
  graph,
  node,
  onSelect,
}: {
  readonly incidentId: string
  readonly moment: string
  readonly edges: readonly WaitEdge[]
  readonly graph: WaitGraph
  readonly node: WaitNode
  readonly onSelect: (id: string) => void
}) {
  const names = new Map(graph.nodes.map((one) => [one.id, one.label]))
  const name = (id: string) => names.get(id) ?? id
  const pin = (edge: WaitEdge) => (): PinDraft => {
    const [source, target] = [plainId(edge.source), plainId(edge.target)]
    const title = edgeClaim(edge, name)
    const from = edge.locators[0]
    return {
      kind: 'wait_edge',
      title,
      picture: small(nearSvg(graph, [edge.source, edge.target], title)),
      locator: {
        ...{ at: moment, node: source, target },
        artifact: from?.artifact ?? null,
        path: from?.path ?? null,
        line_first: from?.line_first ?? null,
        line_last: from?.line_last ?? null,
        value: String(edge.count),
      },
    }
  }
  return (
    <>
      <ul className="waits-edges">
        {edges.slice(0, EDGES_SHOWN).map((edge) => {
          const other = edge.source === node.id ? edge.target : edge.source
          const verb =
            edge.source === node.id
              ? edge.kind === 'waits_for'
                ? 'waits for'
                : 'held by'
              : edge.kind === 'waits_for'
                ? 'waited for by'
                : 'holds'
          return (
            <li key={`${edge.source}>${edge.target}${edge.mark}`}>
              {edge.mark !== 'gone' && (
                <PinButton incidentId={incidentId} pin={pin(edge)}>
                  Pin
                </PinButton>
              )}
              {edge.mark && (
                <span className={`mark mark-${edge.mark}`} title={MARK[edge.mark].word}>
                  {MARK[edge.mark].sign}
                </span>
              )}
              {verb}{' '}
              <button type="button" className="linklike mono" onClick={() => onSelect(other)}>
                {names.get(other) ?? other}
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

/** How sure a join, a wait or a holder is: 0 to 1; the reason stands beside it. */
function Sure({ value, inferred }: { readonly value: number; readonly inferred?: boolean }) {
  return (
    <span
      className={`waits-sure${value < 0.7 ? ' waits-unsure' : ''}`}
      title={`Confidence ${formatNumber(value, 2)} of 1${inferred ? ': inferred, nothing printed says it' : ''}`}
    >
      {formatNumber(value, 2)}
      {inferred ? ' inferred' : ''}
    </span>
  )
}

/** An id without what a difference writes around it. */
const plainId = (id: string) => id.replace(/^was:/, '').replace(/\|(added|gone|kept)$/, '')

/** A picture that is not too large to be kept. */
const small = (svg: string) => (svg.length <= MAX_PICTURE ? svg : null)

function mono(words: string) {
  return <span className="mono">{words}</span>
}
