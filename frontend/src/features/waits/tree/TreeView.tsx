/** The same graph as a nested list in words; arrows walk it, right and left open and close. */
import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import { cx } from '@/ui/controls/cx'
import { onSecondClick } from '../doubleClick'
import type { WaitGraph, WaitNode } from '../waitGraph'
import { stepTree, type TreeRow, treeRows } from './treeRows'
import { blockersOf } from '@/charts/graphWalk'
import {
  GLYPH,
  type NodePersistence,
  persistenceOf,
  MARK,
  type Persistence,
  describeNode,
  persistenceText,
} from '../nodeText'

type Props = {
  readonly graph: WaitGraph
  readonly selected: string
  readonly onSelect: (id: string) => void
  readonly onOpen: (id: string) => void
  readonly lasting: ReadonlyMap<string, NodePersistence>
  readonly persistence: Persistence | undefined
}

const STEP_PX = 20
/** Arrow and sign, before which the second line of a long row does not begin. */
const HANG_PX = 32

export function TreeView({ graph, selected, onSelect, onOpen, lasting, persistence }: Props) {
  const stuck = (node: WaitNode) => {
    const known = persistence && persistence.of > 1 ? persistenceOf(node, lasting) : null
    return known && persistence ? `, ${persistenceText(known, persistence)}` : ''
  }
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  /** The row that has the keyboard, and what its node waits for: who takes over when it goes. */
  const [focused, setFocused] = useState<readonly string[]>([])
  const list = useRef<HTMLDivElement>(null)
  const rows = useMemo(() => treeRows(graph, closed), [graph, closed])
  const places = useMemo(() => new Map(rows.map((row, index) => [row.key, index])), [rows])
  const at = places.get([...focused, selected].find((key) => places.has(key)) ?? '') ?? 0
  const focusOn = ({ key, node }: TreeRow) =>
    setFocused([key, node.id, ...blockersOf(graph.edges, node.id)])

  const toggle = (id: string) => {
    const next = new Set(closed)
    if (!next.delete(id)) next.add(id)
    setClosed(next)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const row = rows[at]
    if (row && (event.key === 'Enter' || event.key === ' ')) {
      event.preventDefault()
      if (event.key === 'Enter' && row.node.kind === 'group') onOpen(row.node.id)
      else onSelect(row.node.id)
      return
    }
    const step = stepTree(rows, at, event.key)
    if (!step) return
    event.preventDefault()
    if ('toggle' in step) return toggle(step.toggle)
    const next = rows[step.move]
    if (next) focusOn(next)
    list.current?.querySelector<HTMLElement>(`[data-row="${step.move}"]`)?.focus()
  }
  return (
    <div
      ref={list}
      className="tree scroll"
      role="tree"
      aria-label="Who waits behind whom"
      onKeyDown={onKeyDown}
    >
      {rows.map((row, index) => (
        <div
          key={row.key}
          role="treeitem"
          data-row={index}
          data-node-id={row.node.id}
          aria-level={row.level}
          aria-posinset={row.position}
          aria-setsize={row.siblings}
          aria-expanded={row.behind ? row.expanded : undefined}
          aria-selected={row.node.id === selected}
          tabIndex={index === at ? 0 : -1}
          className={cx('tree-row', row.node.id === selected && 'selected')}
          style={{ paddingLeft: 8 + HANG_PX + (row.level - 1) * STEP_PX }}
          onFocus={() => focusOn(row)}
          onClick={(event) => {
            onSelect(row.node.id)
            if (row.node.kind === 'group') onSecondClick(event, () => onOpen(row.node.id))
          }}
        >
          <span
            className="tree-twist"
            aria-hidden="true"
            onClick={(event) => {
              if (!row.behind) return
              event.stopPropagation()
              toggle(row.node.id)
            }}
          >
            {row.behind ? (row.expanded ? '▾' : '▸') : ''}
          </span>
          <span className={cx('tree-glyph', row.node.root && 'root')} aria-hidden="true">
            {GLYPH[row.node.kind]}
          </span>
          {row.node.mark && (
            <span className={cx('mark', `mark-${row.node.mark}`)} aria-hidden="true">
              {MARK[row.node.mark].sign}
            </span>
          )}
          {describeNode(row.node)}
          <span className="muted">{stuck(row.node)}</span>
          {row.again && <span className="faint">, shown above</span>}
          {row.behind > 0 && !row.expanded && (
            <span className="faint">, {row.behind} directly behind it</span>
          )}
        </div>
      ))}
    </div>
  )
}
