/** The nodes of the graph as a table, to sort and to copy. */
import { useMemo } from 'react'
import { formatNumber } from '@/format'
import { Chip } from '@/ui/controls/Chip'
import { type Column, Table } from '@/ui/table/Table'
import { Duration } from '@/ui/display/Value'
import type { WaitGraph, WaitNode } from './waitGraph'
import {
  GLYPH,
  KIND,
  type NodePersistence,
  persistenceOf,
  MARK,
  type Persistence,
  seenIn,
} from './nodeText'

type Props = {
  readonly graph: WaitGraph
  readonly selected: string
  readonly onSelect: (id: string) => void
  readonly lasting: ReadonlyMap<string, NodePersistence>
  readonly persistence: Persistence | undefined
}

const COLUMNS: readonly Column<WaitNode>[] = [
  {
    key: 'label',
    head: 'Who or what',
    width: 'minmax(170px, 3fr)',
    cell: (node) => (
      <span className="mono ellipsis" title={node.label}>
        <span aria-hidden="true">{GLYPH[node.kind]}</span> {node.label}
      </span>
    ),
    sort: (node) => node.label,
  },
  {
    key: 'kind',
    head: 'Kind',
    width: '104px',
    cell: (node) => KIND[node.kind] ?? node.kind,
    sort: (node) => KIND[node.kind] ?? node.kind,
  },
  {
    key: 'role',
    head: 'Part',
    width: '124px',
    cell: (node) =>
      node.root ? (
        <Chip tone="holding">{node.inferred ? 'root, inferred' : 'root'}</Chip>
      ) : node.waiting ? (
        <Chip tone="waiting">waits</Chip>
      ) : null,
    sort: part,
  },
  {
    key: 'blocks',
    head: 'Blocks',
    kind: 'number',
    width: '68px',
    cell: (node) => node.blocks_total || '',
    sort: (node) => node.blocks_total,
  },
  {
    key: 'directly',
    head: 'Directly',
    kind: 'number',
    width: '68px',
    cell: (node) => node.blocks_direct || '',
    sort: (node) => node.blocks_direct,
  },
  {
    key: 'members',
    head: 'Threads',
    title: 'Threads in this row',
    kind: 'number',
    width: '68px',
    cell: threads,
    sort: threads,
  },
  {
    key: 'waited',
    head: 'Waited',
    kind: 'number',
    width: '76px',
    cell: (node) => <Duration value={node.waited_s} />,
    sort: (node) => node.waited_s,
  },
  {
    key: 'trx',
    head: 'Trx active',
    kind: 'number',
    width: '76px',
    cell: (node) => <Duration value={node.trx_active_s} />,
    sort: (node) => node.trx_active_s,
  },
  {
    key: 'detail',
    head: 'Detail',
    width: 'minmax(120px, 3fr)',
    cell: (node) => (
      <span className="ellipsis" title={node.query ?? node.detail}>
        {node.detail}
      </span>
    ),
    sort: (node) => node.detail,
  },
]

const CHANGE: Column<WaitNode> = {
  key: 'change',
  head: 'Change',
  width: '88px',
  cell: (node) => (
    <>
      <span className={`mark mark-${node.mark}`} aria-hidden="true">
        {MARK[node.mark].sign}
      </span>
      {MARK[node.mark].word}
    </>
  ),
  sort: (node) => MARK[node.mark].word,
}

/** How long each has been stuck. */
function stuckColumns(
  lasting: ReadonlyMap<string, NodePersistence>,
  { of, among }: Persistence,
): Column<WaitNode>[] {
  const seen = (node: WaitNode) => {
    const stuck = persistenceOf(node, lasting)
    return stuck && seenIn(stuck)
  }
  const cost = (node: WaitNode) => persistenceOf(node, lasting)?.blocked_thread_s ?? null
  return [
    {
      key: 'seen',
      head: 'Seen',
      title: `In how many of ${among} it waits or is waited for`,
      kind: 'number',
      width: '64px',
      cell: (node) => (seen(node) === null ? '' : `${seen(node)}/${of}`),
      sort: seen,
    },
    {
      key: 'cost',
      head: 'Blocked',
      title: 'Thread-seconds spent behind it',
      kind: 'number',
      width: '80px',
      cell: (node) => (cost(node) ? <>{formatNumber(cost(node), 0)} s</> : ''),
      sort: cost,
    },
  ]
}

export function TableView({ graph, selected, onSelect, lasting, persistence }: Props) {
  const columns = useMemo(
    () => [
      ...(graph.against === null ? [] : [CHANGE]),
      ...COLUMNS.slice(0, -1),
      ...(persistence && persistence.of > 1 ? stuckColumns(lasting, persistence) : []),
      ...COLUMNS.slice(-1),
    ],
    [graph.against, lasting, persistence],
  )
  const rows = useMemo(
    () => [...graph.nodes].sort((a, b) => b.blocks_total - a.blocks_total || a.depth - b.depth),
    [graph.nodes],
  )
  return (
    <div className="waits-table">
      <Table
        rows={rows}
        columns={columns}
        rowKey={(node) => node.id}
        label="Nodes of the wait graph"
        selected={selected}
        onSelect={(node) => onSelect(node.id)}
        copy
        fill
      />
    </div>
  )
}

/** A latch or a lock is no thread, nor is a group of them. */
function threads(node: WaitNode): number | null {
  return node.kind === 'thread' || node.of === 'thread' ? node.members : null
}

function part(node: WaitNode): string {
  return node.root ? (node.inferred ? 'root, inferred' : 'root') : node.waiting ? 'waits' : ''
}
