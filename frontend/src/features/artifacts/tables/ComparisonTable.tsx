/** The rows of a comparison: key columns, then the change in each compared column. */
import { useMemo } from 'react'
import type { CellChange, ChangedRow, TableComparison } from '@/api/schema'
import { formatRatio, UNKNOWN } from '@/format'
import { cx } from '@/ui/controls/cx'
import { type Column, Table } from '@/ui/table/Table'
import { MARKS, signed } from './comparison'

type Row = ChangedRow & { readonly index: number }

export function ComparisonTable({
  found,
  shown,
}: {
  readonly found: TableComparison
  /** Indexes of the shown columns. */
  readonly shown: readonly number[]
}) {
  const rows = useMemo<Row[]>(
    () => found.rows.map((row, index) => ({ ...row, index })),
    [found.rows],
  )
  const columns = useMemo(() => columnsOf(found, shown), [found, shown])
  return (
    <Table
      fill
      label={`${found.before.name} before and ${found.after.name} after`}
      rows={rows}
      columns={columns}
      rowKey={({ index }) => String(index)}
      rowClass={({ state }) => `compared-${state}`}
    />
  )
}

function columnsOf(found: TableComparison, shown: readonly number[]): Column<Row>[] {
  const state: Column<Row> = {
    key: '\u0000state',
    head: 'State',
    width: '112px',
    cell: (row) => (
      <span className={cx('compared-mark', `compared-mark-${row.state}`)}>
        <span aria-hidden="true">{MARKS[row.state]}</span> {row.state}
      </span>
    ),
    sort: (row) => row.state,
  }
  const keys = found.keys.map<Column<Row>>((name, at) => ({
    key: `\u0001${name}`,
    head: name,
    title: name,
    width: 'minmax(180px, 2fr)',
    cell: (row) => <Text value={row.key[at] ?? null} />,
    sort: (row) => row.key[at] ?? null,
  }))
  const cells = shown.map<Column<Row>>((at) => {
    const name = found.columns[at] ?? ''
    const of = (row: Row) => row.cells[at]
    const numeric = found.rows.some((row) => row.cells[at]?.change != null)
    return {
      key: name,
      head: name,
      title: `${name}: before → after, difference, ratio; sorted by the size of the difference`,
      kind: numeric ? 'number' : 'text',
      width: numeric ? 'minmax(230px, 1fr)' : 'minmax(180px, 1fr)',
      cell: (row) => <Change cell={of(row)} />,
      sort: (row) => {
        const cell = of(row)
        if (!numeric) return cell?.after ?? cell?.before ?? null
        return cell?.change == null ? null : Math.abs(Number(cell.change))
      },
    }
  })
  return [state, ...keys, ...cells]
}

function Change({ cell }: { readonly cell: CellChange | undefined }) {
  if (!cell) return null
  const { before, after, change, ratio } = cell
  if (before === after || change === '0')
    return (
      <span className="faint">
        <Text value={after} />
      </span>
    )
  if (before === null) return <Text value={after} />
  if (after === null)
    return (
      <s className="faint">
        <Text value={before} />
      </s>
    )
  return (
    <span
      title={`${before} → ${after}${change === null ? '' : `, ${signed(change)}`}`}
      className="compared-change"
    >
      <span className="mono faint">{before} → </span>
      <span className="mono">{after}</span>
      {change !== null && (
        <span className={change.startsWith('-') ? 'compared-less' : 'compared-more'}>
          {signed(change)}
          {ratio !== null && <span className="unit">{formatRatio(ratio)}</span>}
        </span>
      )}
    </span>
  )
}

function Text({ value }: { readonly value: string | null }) {
  if (value === null)
    return (
      <span className="faint" title="no value">
        {UNKNOWN}
      </span>
    )
  return (
    <span className="mono" title={value}>
      {value}
    </span>
  )
}
