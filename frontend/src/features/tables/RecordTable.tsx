/**
 * The table of a tab: a toolbar with pages, copy and CSV, then the rows or the reason for none.
 * A tab declares its columns and the source of the rows; the page number is in the address.
 */
import type { ReactNode } from 'react'
import { useIncidentId, useRange } from '@/state/incident'
import { number, useUrlState } from '@/state/url'
import { type Column, type Sort, Table } from '@/ui/table/Table'
import { Pages } from '@/ui/table/Pages'
import { Export, NothingInRange, RangeNote } from './parts'
import { csvAddress, type CsvQuery, PAGE_ROWS } from './queries'

/** So many rows are shown whole, without a scroller. */
const SHORT = 4

export function RecordTable<Row>({
  tools,
  ranged = false,
  summary,
  pages,
  file,
  csv,
  note,
  empty,
  more,
  listOnly = false,
  rows,
  columns,
  label,
  ...table
}: {
  /** Filters and choices, at the left of the toolbar. */
  readonly tools: ReactNode
  /** Whether the rows follow the selected range. */
  readonly ranged?: boolean
  /** Counts and links, at the right of the toolbar. */
  readonly summary?: ReactNode
  /** Set when the rows are one page of `total`; `what` names them: "events". */
  readonly pages?: { readonly total: number; readonly what: string }
  /** Name of the exported file, without its ending. */
  readonly file: string
  /** Route of the CSV of all `total` rows; without it the shown rows are exported. */
  readonly csv?: { readonly route: string; readonly query: CsvQuery; readonly total: number }
  /** Between the tools and the rows. */
  readonly note?: ReactNode
  /** Shown instead of rows when there are none: the name of a row, or a whole message. */
  readonly empty: string | { readonly message: ReactNode }
  /** Below the rows. */
  readonly more?: ReactNode
  /** The rows take only the height that they need, at most two fifths: `more` is what counts. */
  readonly listOnly?: boolean
  readonly rows: readonly Row[]
  readonly columns: readonly Column<Row>[]
  readonly rowKey: (row: Row) => string
  readonly label: string
  readonly sort?: Sort | null
  readonly onSort?: (sort: Sort | null) => void
  readonly presorted?: boolean
  readonly selected?: string | null
  readonly onSelect?: (row: Row) => void
  readonly rowClass?: (row: Row) => string | false | undefined
}) {
  const incidentId = useIncidentId()
  const [range] = useRange()
  const [page, setPage] = useUrlState('page', number, 0)
  const all = csv && { csv: csvAddress(incidentId, csv.route, csv.query), total: csv.total }
  const isShort = listOnly && rows.length <= SHORT
  return (
    <>
      <div className="tables-tools">
        {tools}
        {ranged && <RangeNote />}
        <span className="tables-space" />
        {summary}
        {pages && <Pages {...pages} page={page} size={PAGE_ROWS} onPage={setPage} />}
        <Export rows={rows} columns={columns} name={file} {...(all ? { all } : {})} />
      </div>
      {note}
      {rows.length > 0 ? (
        <div
          className={listOnly ? (isShort ? 'tables-few' : 'tables-groups') : 'tables-rows'}
          style={listOnly ? { ['--rows' as string]: rows.length } : undefined}
        >
          <Table<Row> fill={!isShort} label={label} rows={rows} columns={columns} {...table} />
        </div>
      ) : typeof empty === 'string' ? (
        <NothingInRange what={empty} range={ranged ? range : WHOLE} />
      ) : (
        empty.message
      )}
      {more}
    </>
  )
}

const WHOLE = { from: null, to: null }
