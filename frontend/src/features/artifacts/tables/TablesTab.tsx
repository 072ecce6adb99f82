/** The tables of an artifact: the selected one with sorted, paged rows, and a link to compare it. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Link, useLocation } from 'react-router'
import type { Artifact, TablePage, TableRef } from '@/api/schema'
import { formatNumber, UNKNOWN } from '@/format'
import { number, sharedSearch, text, useUrlChange, useUrlState } from '@/state/url'
import { Button } from '@/ui/controls/Button'
import { rawLinesPath } from '@/ui/evidence/evidence'
import { ExportMenu } from '@/ui/controls/ExportMenu'
import { EmptyState, Problem, SkeletonRows } from '@/ui/display/States'
import { type Column, type Sort, Table } from '@/ui/table/Table'
import { csvOf, PAGE_ROWS, tablePageQuery, tablesOfQuery } from './tableQueries'
import './tables.css'

type Row = { readonly index: number; readonly cells: readonly (string | null)[] }

export function TablesTab({
  incidentId,
  artifact,
}: {
  readonly incidentId: string
  readonly artifact: Artifact
}) {
  const list = useQuery(tablesOfQuery(artifact.id))
  const [wanted] = useUrlState('table', text, '')
  const [by] = useUrlState('sort', text, '')
  const [down] = useUrlState('down', number, 0)
  const change = useUrlChange()
  const items = list.data?.items
  const chosen = items?.find(({ name }) => name === wanted) ?? items?.[0]
  if (list.error)
    return (
      <Problem
        error={list.error}
        what="The tables could not be read"
        onRetry={() => void list.refetch()}
      />
    )
  if (!items) return <SkeletonRows />
  if (!chosen)
    return (
      <EmptyState compact title="No table here">
        This artifact contains no result set.
      </EmptyState>
    )
  return (
    <div className="results">
      <div className="results-tools">
        <select
          className="select results-choice"
          aria-label="Table"
          value={chosen.name}
          onChange={(event) =>
            change({ table: [event.target.value], page: [], sort: [], down: [] })
          }
        >
          {items.map(({ name, rows }) => (
            <option key={name} value={name}>
              {name} ({formatNumber(rows, 0)} rows)
            </option>
          ))}
        </select>
        <Lines incidentId={incidentId} table={chosen} />
        <span className="results-space" />
        <ExportMenu
          name={['table', chosen.name]}
          csvFrom={csvOf(artifact.id, chosen.name, by ? { key: by, down: down === 1 } : null)}
        />
        <CompareLink incidentId={incidentId} table={chosen} />
      </div>
      <Rows key={chosen.name} artifactId={artifact.id} table={chosen} />
    </div>
  )
}

function Rows({ artifactId, table }: { readonly artifactId: string; readonly table: TableRef }) {
  const [page, setPage] = useUrlState('page', number, 0)
  const [by] = useUrlState('sort', text, '')
  const [down] = useUrlState('down', number, 0)
  const change = useUrlChange()
  const sort = by ? { key: by, down: down === 1 } : null
  const rows = useQuery(tablePageQuery(artifactId, table.name, page, sort))
  const columns = useMemo(() => (rows.data ? columnsOf(rows.data) : []), [rows.data])
  const shown = useMemo<Row[]>(
    () =>
      (rows.data?.page ?? []).map((cells, at) => ({
        index: (rows.data?.offset ?? 0) + at,
        cells,
      })),
    [rows.data],
  )
  const setSort = (next: Sort | null) =>
    change({
      sort: next ? [next.key] : [],
      down: next?.down ? ['1'] : [],
      page: [],
    })
  if (rows.error)
    return (
      <Problem
        error={rows.error}
        what="The rows could not be read"
        onRetry={() => void rows.refetch()}
      />
    )
  if (!rows.data) return <SkeletonRows />
  if (table.rows === 0)
    return (
      <EmptyState compact title="No rows">
        The table has columns but no rows.
      </EmptyState>
    )
  const last = Math.max(0, Math.ceil(table.rows / PAGE_ROWS) - 1)
  return (
    <>
      <div className="results-rows">
        <Table
          fill
          copy
          label={table.name}
          rows={shown}
          columns={columns}
          rowKey={({ index }) => String(index)}
          sort={sort}
          onSort={setSort}
          presorted
        />
      </div>
      {last > 0 && (
        <div className="results-pages" role="group" aria-label="Pages">
          <Button size="small" disabled={page <= 0} onClick={() => setPage(page - 1)}>
            Earlier rows
          </Button>
          <span className="muted">
            rows {formatNumber(rows.data.offset + 1, 0)} to{' '}
            {formatNumber(rows.data.offset + shown.length, 0)} of {formatNumber(table.rows, 0)}
          </span>
          <Button size="small" disabled={page >= last} onClick={() => setPage(page + 1)}>
            Later rows
          </Button>
        </div>
      )}
    </>
  )
}

function columnsOf(page: TablePage): Column<Row>[] {
  return page.columns.map((name, at) => {
    const numeric = page.numeric[at] === true
    return {
      key: name,
      head: name,
      title: name,
      kind: numeric ? 'number' : 'text',
      width: numeric ? 'minmax(110px, 1fr)' : 'minmax(160px, 2fr)',
      cell: ({ cells }) =>
        cells[at] === null || cells[at] === undefined ? (
          <span className="faint" title="no value">
            {UNKNOWN}
          </span>
        ) : (
          <span className="mono" title={cells[at]}>
            {cells[at]}
          </span>
        ),
      // The server sorts over all pages: this only makes the head a button.
      sort: () => null,
      text: ({ cells }) => cells[at] ?? '',
    }
  })
}

function Lines({ incidentId, table }: { readonly incidentId: string; readonly table: TableRef }) {
  const { search } = useLocation()
  return (
    <Link
      className="results-lines"
      to={rawLinesPath(incidentId, table.artifact, table.line_first, table.line_last, search)}
    >
      {table.line_first === table.line_last
        ? `line ${table.line_first}`
        : `lines ${table.line_first}–${table.line_last}`}
    </Link>
  )
}

function CompareLink({
  incidentId,
  table,
}: {
  readonly incidentId: string
  readonly table: TableRef
}) {
  const { search } = useLocation()
  const extra = { before: table.artifact, beforeTable: table.name }
  return (
    <Link
      className="btn btn-plain btn-small"
      to={`/incidents/${incidentId}/artifacts/tables${sharedSearch(search, extra)}`}
    >
      Compare with another
    </Link>
  )
}
