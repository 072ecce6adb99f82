/** The tooltip of a node: what it is, what it blocks, who runs which statement, how long it lasts. */
import { formatNumber } from '@/format'
import { cx } from '@/ui/controls/cx'
import { directly, factsOf, type QueuePlace, roleOf } from '../nodeText'
import type { WaitNode } from '../waitGraph'

export function NodeTip({
  node,
  queue,
  stuck,
}: {
  readonly node: WaitNode
  readonly queue: QueuePlace | undefined
  readonly stuck: string
}) {
  const blocks = node.blocks_total
  return (
    <div className="graph-tip">
      <p>
        <strong className="mono">{node.label}</strong>{' '}
        <span className={cx('graph-role', node.root && 'root', node.waiting && 'waiting')}>
          {roleOf(node, queue)}
          {node.inferred && ', inferred'}
        </span>
      </p>
      {blocks > 0 && (
        <p>
          Blocks {formatNumber(blocks, 0)} {blocks === 1 ? 'session' : 'sessions'}
          {directly(node)}
        </p>
      )}
      {node.shape && <p className="mono">{node.shape}</p>}
      {node.detail && node.detail !== node.shape && <p className="muted">{node.detail}</p>}
      {factsOf(node).length > 0 && <p className="muted">{factsOf(node).join(' · ')}</p>}
      {stuck && <p className="muted">{stuck[0]?.toUpperCase() + stuck.slice(1)}</p>}
      {node.kind === 'group' && <p className="muted">Enter or a double click opens the group.</p>}
    </div>
  )
}
