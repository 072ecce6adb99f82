/** The nodes of the graph as a table, to sort and to copy. */
import { useMemo } from 'react'
import { Chip } from '@/ui/Chip'
import { type Column, Table } from '@/ui/Table'
import { Duration } from '@/ui/Value'
import type { WaitGraph, WaitNode } from './layout'
import { GLYPH, KIND } from './words'

type Props = { graph: WaitGraph; selected: string; onSelect: (id: string) => void }

const COLUMNS: readonly Column<WaitNode>[] = [
  {
    key: 'label',
    head: 'Who or what',
    width: 'minmax(220px, 2fr)',
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
    width: '110px',
    cell: (node) => KIND[node.kind],
    sort: (node) => KIND[node.kind],
  },
  {
    key: 'role',
    head: 'Part',
    width: '110px',
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
    width: '80px',
    cell: (node) => node.blocks_total || '',
    sort: (node) => node.blocks_total,
  },
  {
    key: 'directly',
    head: 'Directly',
    kind: 'number',
    width: '80px',
    cell: (node) => node.blocks_direct || '',
    sort: (node) => node.blocks_direct,
  },
  {
    key: 'members',
    head: 'Threads',
    title: 'Threads that the row stands for',
    kind: 'number',
    width: '80px',
    cell: (node) => node.members,
    sort: (node) => node.members,
  },
  {
    key: 'waited',
    head: 'Waited',
    kind: 'number',
    width: '90px',
    cell: (node) => <Duration value={node.waited_s} />,
    sort: (node) => node.waited_s,
  },
  {
    key: 'trx',
    head: 'Trx active',
    kind: 'number',
    width: '90px',
    cell: (node) => <Duration value={node.trx_active_s} />,
    sort: (node) => node.trx_active_s,
  },
  {
    key: 'detail',
    head: 'Detail',
    width: 'minmax(240px, 3fr)',
    cell: (node) => (
      <span className="ellipsis" title={node.query ?? node.detail}>
        {node.detail}
      </span>
    ),
    sort: (node) => node.detail,
  },
]

export function TableView({ graph, selected, onSelect }: Props) {
  const rows = useMemo(
    () => [...graph.nodes].sort((a, b) => b.blocks_total - a.blocks_total || a.depth - b.depth),
    [graph.nodes],
  )
  return (
    <div className="waits-table">
      <Table
        rows={rows}
        columns={COLUMNS}
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

function part(node: WaitNode): string {
  return node.root ? (node.inferred ? 'root, inferred' : 'root') : node.waiting ? 'waits' : ''
}
