/** The flame graph in rows: every function once, with the threads that are in it. */
import { useMemo } from 'react'
import { weight } from '@/charts/flame'
import { formatNumber } from '@/format'
import { ShareBar } from '@/ui/display/Bar'
import { type Column, Table } from '@/ui/table/Table'
import { ShareValue } from '@/ui/display/Value'
import { type FlameDoc, type Tree, type FunctionRow, functionRows } from './flame'

export function FunctionTable({
  tree,
  doc,
  search,
  selected,
  onSelect,
}: {
  readonly tree: Tree
  readonly doc: FlameDoc
  readonly search: string
  readonly selected: string
  readonly onSelect: (name: string) => void
}) {
  const wanted = search.trim().toLowerCase()
  const rows = useMemo(
    () => functionRows(tree).filter((row) => row.name.toLowerCase().includes(wanted)),
    [tree, wanted],
  )
  const columns = useMemo(() => columnsOf(tree, doc), [tree, doc])
  return (
    <div className="flame-table">
      <Table
        rows={rows}
        columns={columns}
        rowKey={(row) => row.name}
        label="Functions by threads"
        selected={selected}
        onSelect={(row) => onSelect(row.name)}
        copy
        fill
      />
    </div>
  )
}

function columnsOf(tree: Tree, doc: FlameDoc): readonly Column<FunctionRow>[] {
  const all = Math.max(1, tree.nodes[0] ? weight(tree.nodes[0]) : 1)
  const a = (row: FunctionRow) => row.total / Math.max(1, doc.samples)
  const b = (row: FunctionRow) => row.totalB / Math.max(1, doc.samples_b ?? 1)
  const name: Column<FunctionRow> = {
    key: 'name',
    head: 'Function',
    width: 'minmax(280px, 3fr)',
    cell: (row) => (
      <span className="mono ellipsis" title={row.name}>
        {row.name}
      </span>
    ),
    sort: (row) => row.name,
  }
  const numbers: Column<FunctionRow>[] = [
    number('threads', doc.samples_b === null ? 'Threads' : 'Before', 'Threads per sample', a),
    ...(doc.samples_b === null
      ? [
          number(
            'self',
            'Innermost',
            'Threads whose innermost function it is, over all samples',
            (row) => row.self,
          ),
        ]
      : [
          number('b', 'In the range', 'Threads per sample', b),
          number('more', 'Change', 'Threads per sample', (row) => b(row) - a(row)),
        ]),
  ]
  const share: Column<FunctionRow> = {
    key: 'share',
    head: 'Share',
    width: '136px',
    cell: (row) => (
      <>
        <ShareBar value={(row.total + row.totalB) / all} />{' '}
        <ShareValue value={(row.total + row.totalB) / all} />
      </>
    ),
    sort: (row) => row.total + row.totalB,
  }
  return [name, ...numbers, share]
}

function number(
  key: string,
  head: string,
  title: string,
  value: (row: FunctionRow) => number,
): Column<FunctionRow> {
  return {
    key,
    head,
    title,
    kind: 'number',
    width: '110px',
    cell: (row) => formatNumber(value(row), 1),
    sort: value,
  }
}
