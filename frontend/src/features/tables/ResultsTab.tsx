/** The result sets of all artifacts; each opens in its viewer, and any two can be compared. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Link, useLocation } from 'react-router'
import type { TableRef } from '@/api/schema'
import { formatNumber } from '@/format'
import { useIncidentId } from '@/state/incident'
import { sharedSearch, text, useUrlState } from '@/state/url'
import { Loaded } from '@/ui/display/Loaded'
import type { Column } from '@/ui/table/Table'
import { Filter, NotCollected } from './parts'
import { tablesQuery } from './queries'
import { RecordTable } from './RecordTable'

export function ResultsTab() {
  const incidentId = useIncidentId()
  const tables = useQuery(tablesQuery(incidentId))
  const [words, setWords] = useUrlState('q', text, '')
  const { search } = useLocation()
  const rows = useMemo(
    () =>
      (tables.data?.items ?? []).filter((item) =>
        `${item.name} ${item.path}`.toLowerCase().includes(words.toLowerCase()),
      ),
    [tables.data, words],
  )
  return (
    <Loaded query={tables} what="The tables could not be read">
      {({ items }) =>
        items.length === 0 ? (
          <NotCollected title="No result sets yet" command="mysql -t -e 'SELECT ...' > result.txt">
            Results of queries, benchmark summaries and query digests appear here, and any two of
            them can be compared. None was uploaded.
          </NotCollected>
        ) : (
          <div className="tables-tab">
            <RecordTable<TableRef>
              tools={<Filter label="Filter by name or file" value={words} onChange={setWords} />}
              summary={
                <Link
                  className="btn btn-plain btn-small"
                  to={`/incidents/${incidentId}/artifacts/tables${sharedSearch(search)}`}
                >
                  Compare two tables
                </Link>
              }
              file="tables"
              empty="table"
              label="Result sets"
              rows={rows}
              columns={COLUMNS}
              rowKey={(item) => `${item.artifact}:${item.name}`}
            />
          </div>
        )
      }
    </Loaded>
  )
}

function Open({ table }: { readonly table: TableRef }) {
  const incidentId = useIncidentId()
  const { search } = useLocation()
  const extra = { artifact: table.artifact, tab: 'tables', table: table.name }
  return (
    <Link to={`/incidents/${incidentId}/artifacts${sharedSearch(search, extra)}`}>
      {table.name}
    </Link>
  )
}

const COLUMNS: Column<TableRef>[] = [
  {
    key: 'name',
    head: 'Table',
    width: 'minmax(200px, 2fr)',
    cell: (item) => <Open table={item} />,
    sort: (item) => item.name,
  },
  {
    key: 'rows',
    head: 'Rows',
    kind: 'number',
    width: '90px',
    cell: (item) => formatNumber(item.rows, 0),
    sort: (item) => item.rows,
  },
  {
    key: 'columns',
    head: 'Columns',
    width: 'minmax(200px, 3fr)',
    cell: (item) => (
      <span className="mono" title={item.columns.join(', ')}>
        {item.columns.join(', ')}
      </span>
    ),
    text: (item) => item.columns.join(' '),
  },
  {
    key: 'path',
    head: 'File',
    width: 'minmax(200px, 3fr)',
    cell: (item) => (
      <span className="mono" title={item.path}>
        {item.path.slice(item.path.lastIndexOf('/') + 1)}{' '}
        <span className="muted">{item.path.slice(0, Math.max(0, item.path.lastIndexOf('/')))}</span>
      </span>
    ),
    sort: (item) => item.path,
  },
]
