/** One node of the graph: glyph, name, what is behind it, how long it lasts. */
import { cx } from '@/ui/controls/cx'
import { onSecondClick } from '../doubleClick'
import { needOf, type PlacedNode } from './layout'
import {
  GLYPH,
  type NodePersistence,
  persistenceOf,
  MARK,
  type Persistence,
  describeNode,
  persistenceText,
} from '../nodeText'

/** Pixels next to the label for each extra: how often it was seen, the verb, a detail. */
const STUCK_ROOM = 42
const VERB_ROOM = 44
const DETAIL_ROOM = 36
const ONE_LINE = 30

export function NodeBox({
  placed: { node, x, y, width, height, weight },
  cycle,
  selected,
  far,
  tabStop,
  lasting,
  persistence,
  onSelect,
  onOpen,
  onHover,
  onFocus,
}: {
  readonly placed: PlacedNode
  readonly cycle: boolean
  readonly selected: boolean
  readonly far: boolean
  readonly tabStop: boolean
  readonly lasting: ReadonlyMap<string, NodePersistence>
  readonly persistence: Persistence | undefined
  readonly onSelect: (id: string) => void
  readonly onOpen: (id: string) => void
  readonly onHover: (id: string | null) => void
  readonly onFocus: (id: string) => void
}) {
  const stuck = persistence && persistence.of > 1 ? persistenceOf(node, lasting) : null
  const twoLines = height > ONE_LINE
  let room = width - needOf(node, twoLines ? 2 : 1) - (cycle ? 64 : 0)
  const fits = (need: number) => {
    if (room < need) return false
    room -= need
    return true
  }
  const showStuck = stuck !== null && stuck.seen > 1 && fits(STUCK_ROOM)
  const showVerb = node.root && node.blocks_total > 0 && fits(VERB_ROOM)
  // Of two lines the label may leave one.
  const below = twoLines && node.detail !== '' && needOf(node, 1) <= width
  const showDetail = !below && node.detail !== '' && room >= DETAIL_ROOM
  const stuckText = stuck && persistence ? persistenceText(stuck, persistence) : ''
  const title = [`${node.label}${node.detail ? `: ${node.detail}` : ''}`, stuckText]
  return (
    <button
      type="button"
      data-testid="wait-node"
      data-node-id={node.id}
      data-root={node.root || undefined}
      data-mark={node.mark || undefined}
      className={cx(
        'graph-node',
        `is-${node.kind}`,
        node.root && 'root',
        node.waiting && 'waiting',
        node.inferred && 'inferred',
        cycle && 'cycle',
        node.mark && `mark-${node.mark}`,
        selected && 'selected',
        far && 'far',
      )}
      style={{ left: x, top: y, width, height }}
      title={title.filter(Boolean).join('\n')}
      aria-label={`${cycle ? 'in a deadlock, ' : ''}${describeNode(node, stuckText)}`}
      aria-pressed={selected}
      tabIndex={tabStop ? 0 : -1}
      onClick={(event) => {
        onSelect(node.id)
        // detail 0: by the keyboard
        if (node.kind === 'group' && event.detail > 0) onSecondClick(event, () => onOpen(node.id))
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || node.kind !== 'group') return
        event.preventDefault()
        onOpen(node.id)
      }}
      onFocus={() => onFocus(node.id)}
      onPointerEnter={() => onHover(node.id)}
      onPointerLeave={() => onHover(null)}
    >
      {weight > 0 && <span className="graph-weight" style={{ width: `${weight * 100}%` }} />}
      {node.mark && (
        <span className={cx('mark', `mark-${node.mark}`)} aria-hidden="true">
          {MARK[node.mark].sign}
        </span>
      )}
      <span className="graph-glyph" aria-hidden="true">
        {cycle ? '↻' : GLYPH[node.kind]}
      </span>
      {below ? (
        <span className="graph-lines">
          <span className="mono ellipsis">{node.label}</span>
          <span className="graph-below ellipsis">{node.detail}</span>
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
          {stuck.seen}/{persistence?.of}
        </span>
      )}
      {node.blocks_total > 0 && (
        <span className="graph-count">
          {showVerb && <span className="graph-verb">blocks </span>}
          {node.blocks_total}
        </span>
      )}
    </button>
  )
}
