/** Incidents, files, bytes and queued tasks per user and team; for admins. */
import { useQuery } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import type { Use } from '@/api/schema'
import { formatCount, formatNumber } from '@/format'
import { Problem, SkeletonRows } from '@/ui/display/States'
import { BytesValue } from '@/ui/display/Value'
import { Fields } from '@/ui/panels/Inspector'
import { type Column, Table } from '@/ui/table/Table'

export function Usage() {
  const usage = useQuery({ queryKey: keys.usage, queryFn: () => unwrap(api.GET('/api/v1/usage')) })
  if (usage.isLoadingError)
    return <Problem error={usage.error} onRetry={() => void usage.refetch()} />
  if (!usage.data) return <SkeletonRows rows={6} />
  const { incidents, files, bytes, waiting, users, teams } = usage.data
  return (
    <div className="settings-pane settings-fields scroll">
      <Fields
        items={[
          ['Incidents', formatNumber(incidents, 0)],
          ['Files', formatNumber(files, 0)],
          ['Uploaded', <BytesValue key="bytes" value={bytes} />],
          ['Unpacked', <BytesValue key="unpacked" value={usage.data.unpacked_bytes} />],
          ['Stored', <BytesValue key="stored" value={usage.data.stored_bytes} />],
          ['Database', <BytesValue key="database" value={usage.data.database_bytes} />],
          ['Queue', formatCount(waiting, 'task')],
        ]}
      />
      <h2>Teams</h2>
      {teams.length > 0 ? (
        <Table
          label="Usage of teams"
          rows={teams}
          columns={COLUMNS}
          rowKey={(row) => row.id}
          copy
        />
      ) : (
        <p className="muted">No teams yet. The Teams tab creates one.</p>
      )}
      <h2>Users</h2>
      <Table label="Usage of users" rows={users} columns={COLUMNS} rowKey={(row) => row.id} copy />
    </div>
  )
}

const COLUMNS: readonly Column<Use>[] = [
  {
    key: 'name',
    head: 'Name',
    width: 'minmax(160px, 2fr)',
    sort: (row) => row.name,
    cell: (row) => row.name,
  },
  number('incidents', 'Incidents'),
  number('files', 'Files'),
  size('bytes', 'Uploaded'),
  size('unpacked_bytes', 'Unpacked'),
  number('waiting', 'In the queue'),
]

function number(key: 'incidents' | 'files' | 'waiting', head: string): Column<Use> {
  return {
    key,
    head,
    kind: 'number',
    width: '110px',
    sort: (row) => row[key],
    cell: (row) => formatNumber(row[key], 0),
  }
}

function size(key: 'bytes' | 'unpacked_bytes', head: string): Column<Use> {
  return {
    key,
    head,
    kind: 'number',
    width: '110px',
    sort: (row) => row[key],
    cell: (row) => <BytesValue value={row[key]} />,
  }
}
