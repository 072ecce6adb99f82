/** One node of the graph: a card with its statement, or a row; both are one button. */
import { cx } from '@/ui/controls/cx'
import { Words } from '@/ui/display/Words'
import { onSecondClick } from '../doubleClick'
import {
  describeNode,
  factsOf,
  GLYPH,
  MARK,
  type NodePersistence,
  QUEUE_NUMBER,
  type QueuePlace,
  roleOf,
  seenIn,
} from '../nodeText'
import type { WaitNode } from '../waitGraph'
import { cardText } from './card'
import { needOf, type PlacedNode } from './layout'

/** Pixels next to the label for each extra: how often it was seen, the verb, a detail. */
const STUCK_ROOM = 42
const VERB_ROOM = 44
const DETAIL_ROOM = 36
const LABEL_LINE = 15
const FACT_LINE = 16

/** What is known of how long a node has been stuck: the node, and in words. */
export type Stuck = {
  readonly of: number
  readonly seen: NodePersistence | null
  readonly text: string
}

type Props = {
  readonly placed: PlacedNode
  readonly cycle: boolean
  readonly selected: boolean
  readonly far: boolean
  readonly tabStop: boolean
  readonly queue: QueuePlace | undefined
  readonly stuck: Stuck
  readonly onSelect: (id: string) => void
  readonly onOpen: (id: string) => void
  /** With the box at which the tooltip opens; null when the pointer or the keyboard leaves. */
  readonly onPoint: (id: string | null, box?: Element) => void
  readonly onFocus: (id: string, box: Element) => void
}

export function NodeBox(props: Props) {
  const { placed, cycle, selected, far, tabStop, queue, stuck } = props
  const { node, key, x, y, width, height, weight, card, row } = placed
  return (
    <button
      type="button"
      data-testid="wait-node"
      data-node-id={node.id}
      data-key={key}
      data-root={node.root || undefined}
      data-mark={node.mark || undefined}
      data-queue={queue?.place}
      className={cx(
        'graph-node',
        `is-${node.kind}`,
        card && 'graph-card',
        node.root && 'root',
        node.waiting && 'waiting',
        node.waiting && node.blocks_total > 0 && 'both',
        node.inferred && 'inferred',
        cycle && 'cycle',
        node.mark && `mark-${node.mark}`,
        selected && 'selected',
        far && 'far',
      )}
      style={{ left: x, top: y, width, height }}
      aria-label={`${cycle ? 'in a deadlock, ' : ''}${describeNode(node, stuck.text)}${queue ? `, ${roleOf(node, queue)}` : ''}`}
      aria-pressed={selected}
      tabIndex={tabStop ? 0 : -1}
      onClick={(event) => {
        props.onSelect(node.id)
        // detail 0: by the keyboard
        if (node.kind === 'group' && event.detail > 0)
          onSecondClick(event, () => props.onOpen(node.id))
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || node.kind !== 'group') return
        event.preventDefault()
        props.onOpen(node.id)
      }}
      onFocus={(event) => props.onFocus(node.id, event.currentTarget)}
      onBlur={() => props.onPoint(null)}
      onPointerEnter={(event) => props.onPoint(node.id, event.currentTarget)}
      onPointerLeave={() => props.onPoint(null)}
    >
      {weight > 0 && <span className="graph-weight" style={{ width: `${weight * 100}%` }} />}
      {card ? (
        <CardContent node={node} card={card} cycle={cycle} queue={queue} stuck={stuck} />
      ) : (
        <RowContent node={node} width={width} row={row} cycle={cycle} stuck={stuck} />
      )}
    </button>
  )
}

/** The mark of a difference, and the place in a metadata lock's queue or the glyph of the kind. */
function Marks({
  node,
  cycle,
  number = null,
}: {
  readonly node: WaitNode
  readonly cycle: boolean
  readonly number?: number | null
}) {
  return (
    <>
      {node.mark && (
        <span className={cx('mark', `mark-${node.mark}`)} aria-hidden="true">
          {MARK[node.mark].sign}
        </span>
      )}
      <span className={number === null ? 'graph-glyph' : 'graph-queue'} aria-hidden="true">
        {number ?? (cycle ? '↻' : GLYPH[node.kind])}
      </span>
    </>
  )
}

function CardContent({
  node,
  card,
  cycle,
  queue,
  stuck,
}: {
  readonly node: WaitNode
  readonly card: NonNullable<PlacedNode['card']>
  readonly cycle: boolean
  readonly queue: QueuePlace | undefined
  readonly stuck: Stuck
}) {
  const number = queue ? QUEUE_NUMBER[queue.place] : null
  return (
    <span className="graph-lines">
      <CardHead node={node} card={card} cycle={cycle} number={number} />
      {card.lines > 0 && (
        <span
          className={cx('graph-text', node.shape && 'mono')}
          style={{ WebkitLineClamp: card.lines }}
        >
          {cardText(node)}
        </span>
      )}
      <span
        className={cx('graph-facts', card.facts === 1 && 'ellipsis')}
        style={card.facts > 1 ? { maxHeight: card.facts * FACT_LINE } : undefined}
      >
        <span className={cx('graph-role', node.root && 'root', node.waiting && 'waiting')}>
          {roleOf(node, queue)}
        </span>
        {factsOf(node).map((fact) => (
          <span key={fact}> · {fact}</span>
        ))}
        {stuck.seen !== null && seenIn(stuck.seen) > 1 && (
          <span className="graph-stuck">
            {' '}
            · {seenIn(stuck.seen)}/{stuck.of}
          </span>
        )}
      </span>
    </span>
  )
}

/** Glyph, label and number of sessions; a label of several lines runs on below them. */
function CardHead({
  node,
  card,
  cycle,
  number,
}: {
  readonly node: WaitNode
  readonly card: NonNullable<PlacedNode['card']>
  readonly cycle: boolean
  readonly number: number | null
}) {
  const wraps = card.labelLines > 1
  const count = node.blocks_total > 0 && (
    <span className="graph-count">
      {card.verb && <span className="graph-verb">blocks </span>}
      {node.blocks_total}
    </span>
  )
  const deadlock = cycle && <span className="graph-deadlock">deadlock</span>
  return (
    <span
      className={wraps ? 'graph-head-wrapped' : 'graph-head'}
      style={wraps ? { maxHeight: card.labelLines * LABEL_LINE } : undefined}
    >
      {wraps && count}
      <Marks node={node} cycle={cycle} number={number} />
      <span className="graph-label mono">{wraps ? <Words text={node.label} /> : node.label}</span>
      {deadlock}
      {!wraps && count}
    </span>
  )
}

function RowContent({
  node,
  width,
  row,
  cycle,
  stuck,
}: {
  readonly node: WaitNode
  readonly width: number
  readonly row: PlacedNode['row']
  readonly cycle: boolean
  readonly stuck: Stuck
}) {
  const twoLines = row?.label === 2
  let room = width - needOf(node, twoLines ? 2 : 1) - (cycle ? 64 : 0)
  const fits = (need: number) => {
    if (room < need) return false
    room -= need
    return true
  }
  const showStuck = stuck.seen !== null && seenIn(stuck.seen) > 1 && fits(STUCK_ROOM)
  const showVerb = node.root && node.blocks_total > 0 && fits(VERB_ROOM)
  // Of two lines the label may leave one.
  const below = row?.text ? cardText(node) : twoLines && needOf(node, 1) <= width ? node.detail : ''
  const showDetail = !below && node.detail !== '' && room >= DETAIL_ROOM
  return (
    <>
      <Marks node={node} cycle={cycle} />
      {below ? (
        <span className="graph-lines">
          <span className={cx('mono', row?.text && twoLines ? 'graph-label-two' : 'ellipsis')}>
            {node.label}
          </span>
          <span className={cx('graph-below ellipsis', row?.text && node.shape && 'mono')}>
            {below}
          </span>
        </span>
      ) : (
        <span className={cx('graph-label mono', twoLines ? 'graph-label-two' : 'ellipsis')}>
          {node.label}
        </span>
      )}
      {cycle && <span className="graph-deadlock">deadlock</span>}
      {showDetail && <span className="graph-detail ellipsis">{node.detail}</span>}
      {node.members > 1 && !node.label.startsWith(`${node.members} `) && (
        <span className="graph-members">×{node.members}</span>
      )}
      {showStuck && (
        <span className="graph-stuck">
          {stuck.seen && seenIn(stuck.seen)}/{stuck.of}
        </span>
      )}
      {node.blocks_total > 0 && (
        <span className="graph-count">
          {showVerb && <span className="graph-verb">blocks </span>}
          {node.blocks_total}
        </span>
      )}
    </>
  )
}
