/** The values of a node: what it blocks, how long it lasts, who it is, what joined it. */
import { formatNumber } from '@/format'
import { Fields } from '@/ui/panels/Inspector'
import { Term } from '@/ui/display/Term'
import { Duration, Time } from '@/ui/display/Value'
import {
  directly,
  missingPersistenceText,
  type NodePersistence,
  type Persistence,
  persistenceText,
} from '../nodeText'
import type { WaitNode } from '../waitGraph'
import { Sure } from './Sure'

export function NodeFields({
  node,
  stuck,
  persistence,
}: {
  readonly node: WaitNode
  readonly stuck: NodePersistence | null
  readonly persistence: Persistence | undefined
}) {
  return (
    <Fields
      items={[
        node.blocks_total > 0 && ['Blocks', `${node.blocks_total}${directly(node)}`],
        persistence !== undefined && [
          'Stuck',
          <Stuck key="k" node={node} stuck={stuck} persistence={persistence} />,
        ],
        stuck !== null &&
          stuck.blocked_thread_s > 0 && [
            'Cost',
            <span key="c">
              {formatNumber(stuck.blocked_thread_s, 0)} <Term of="thread-seconds" /> blocked
            </span>,
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
  )
}

const DAY_MS = 86_400_000

/** Whether a time of day is enough for the last moment. */
const isShort = ({ first, last }: NodePersistence) =>
  first !== null && last !== null && Date.parse(last) - Date.parse(first) < DAY_MS

/** In how many dumps the node was seen, from when to when. */
function Stuck({
  node,
  stuck,
  persistence,
}: {
  readonly node: WaitNode
  readonly stuck: NodePersistence | null
  readonly persistence: Persistence
}) {
  if (stuck === null || persistence.of <= 1)
    return <span className="muted">{missingPersistenceText(node, persistence)}</span>
  return (
    <span>
      {persistenceText(stuck, persistence)}
      {stuck.first !== stuck.last && (
        <span className="muted">
          , <Time at={stuck.first} /> to{' '}
          <Time at={stuck.last} style={isShort(stuck) ? 'clock' : 'seconds'} />
        </span>
      )}
      {node.kind === 'group' && (
        <span className="muted">; three or more such threads each time</span>
      )}
    </span>
  )
}

function mono(words: string) {
  return <span className="mono">{words}</span>
}
