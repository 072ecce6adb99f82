/** Parts that the tabs share: filter, range note, pages, export. */
import { useMemo } from 'react'
import type { Rows } from '@/charts/exportSvg'
import { formatNumber } from '@/format'
import { type Range, useRange } from '@/state/incident'
import { type Codec, flag, useUrlChange, useUrlState } from '@/state/url'
import { Button } from '@/ui/controls/Button'
import { CopyButton } from '@/ui/controls/CopyButton'
import { ExportMenu } from '@/ui/controls/ExportMenu'
import { EmptyState } from '@/ui/display/States'
import { type Column, type Sort, toTsv } from '@/ui/table/Table'
import { Time } from '@/ui/display/Value'
import { SearchInput } from '@/ui/controls/SearchInput'

export function Filter({
  value,
  onChange,
  label,
}: {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly label: string
}) {
  return (
    <SearchInput
      className="input tables-filter"
      aria-label={label}
      placeholder={label}
      value={value}
      maxLength={200}
      onSearch={onChange}
    />
  )
}

/**
 * Return the sort order in the address, for rows that the server sorts by one of `columns`, and the
 * table properties that show and change it.
 */
export function useOrder<Key extends string>(columns: Codec<Key | ''>) {
  const [sort] = useUrlState<Key | ''>('sort', columns, '')
  const [down] = useUrlState('down', flag, false)
  const change = useUrlChange()
  const order = useMemo(() => (sort === '' ? null : { sort, down }), [sort, down])
  return [
    order,
    {
      presorted: true,
      sort: order && { key: order.sort, down },
      onSort: (next: Sort | null) =>
        change({
          sort: next ? [next.key] : [],
          down: next?.down ? ['1'] : [],
          page: [],
        }),
    },
  ] as const
}

/** The note with the range that applies, and a button that clears it. */
export function RangeNote() {
  const [range, setRange] = useRange()
  if (!range.from && !range.to) return <span className="faint tables-range">the whole capture</span>
  return (
    <span className="tables-range">
      <Time at={range.from} style="clock" /> – <Time at={range.to} style="clock" />
      <Button size="small" variant="ghost" onClick={() => setRange(null)}>
        Whole capture
      </Button>
    </span>
  )
}

/** The empty state of a range without rows, with a link to the whole capture. */
export function NothingInRange({ what, range }: { readonly what: string; readonly range: Range }) {
  const [, setRange] = useRange()
  return (
    <EmptyState
      compact
      title={`No ${what} here`}
      action={
        range.from || range.to ? (
          <Button onClick={() => setRange(null)}>Show the whole capture</Button>
        ) : undefined
      }
    >
      {range.from || range.to
        ? 'None is in the selected range, or the filter hides them.'
        : 'The filter hides every row.'}
    </EmptyState>
  )
}

/** The empty state of data that was not captured, with the command that collects it. */
export function NotCollected({
  title,
  children,
  command,
}: {
  readonly title: string
  readonly children: string
  readonly command: string
}) {
  return (
    <EmptyState title={title} action={<CopyButton text={command}>Copy the command</CopyButton>}>
      {children} Next time: <code>{command}</code>
    </EmptyState>
  )
}

/** Copy as TSV, and the same rows as a CSV file. */
export function Export<Row>({
  rows,
  columns,
  name,
  all,
  svg,
}: {
  readonly rows: readonly Row[]
  readonly columns: readonly Column<Row>[]
  readonly name: string
  /** Address of the CSV of all rows, and their number. */
  readonly all?: { readonly csv: string; readonly total: number }
  readonly svg?: () => string
}) {
  return (
    <>
      <CopyButton text={() => toTsv(rows, columns)}>
        {all && all.total > rows.length
          ? `Copy these ${formatNumber(rows.length, 0)} as TSV`
          : 'Copy as TSV'}
      </CopyButton>
      <ExportMenu
        name={name}
        rows={() => asRows(toTsv(rows, columns))}
        {...(all ? { csvFrom: all.csv } : {})}
        {...(svg ? { svg } : {})}
      />
    </>
  )
}

/** Parse TSV into cells; numbers stay numbers, so that a minus is not read as a formula. */
export function asRows(tsv: string): Rows {
  const [columns = [], ...rows] = tsv.split('\n').map((line) => line.split('\t'))
  const cell = (text: string) =>
    /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/.test(text) ? Number(text) : text
  return { columns, rows: rows.map((row) => row.map(cell)) }
}
