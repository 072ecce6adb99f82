/** The sessions over time, and the processlist of a moment: its groups and the rows of a group. */
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from 'react-router'
import type { Processlist, ProcesslistGroup, ProcesslistMoment, ProcesslistRow } from '@/api/schema'
import { formatDuration, formatNumber, UNKNOWN } from '@/format'
import { useIncidentId } from '@/state/incident'
import { useKeys } from '@/state/keys'
import {
  flag,
  number,
  oneOf,
  sharedSearch,
  text,
  useResolvedDefaults,
  useUrlChange,
  useUrlState,
} from '@/state/url'
import { ShareBar } from '@/ui/display/Bar'
import { Button } from '@/ui/controls/Button'
import { Loaded } from '@/ui/display/Loaded'
import { Fields, Inspector, InspectorSection } from '@/ui/panels/Inspector'
import { Problem, SkeletonRows } from '@/ui/display/States'
import { type Column, Table } from '@/ui/table/Table'
import { Duration } from '@/ui/display/Value'
import { Filter, NotCollected, NothingInRange, useOrder } from './parts'
import { RecordTable } from './RecordTable'
import { SESSION_KEYS } from './keys'
import { groupKey, groupName } from './group'
import { SessionsOverTime } from './SessionsOverTime'
import {
  momentsQuery,
  processlistQuery,
  type SessionOrder,
  type SessionsFilter,
  sessionsParameters,
} from './queries'
import { Lines, PinRow } from './Source'
import { findMoment, fullest, momentId } from './scrub'

type By = Processlist['by']
const WAYS: readonly (readonly [By, string])[] = [
  ['digest', 'Statement'],
  ['state', 'State'],
  ['user', 'User'],
  ['client', 'Client'],
  ['db', 'Schema'],
]
const BY = oneOf<By>(['digest', 'state', 'user', 'client', 'db', 'command'])

const ORDER = oneOf<SessionOrder | ''>([
  ...(['session_id', 'user', 'client_host', 'db', 'time_s', 'state', 'query'] as const),
])

export function SessionsTab() {
  const incidentId = useIncidentId()
  const moments = useQuery(momentsQuery(incidentId))
  const [at] = useUrlState('at', text, '')
  const [by] = useUrlState<By>('by', BY, 'digest')
  const [group] = useUrlState('group', text, '')
  const [idle, setIdle] = useUrlState('idle', flag, false)
  const [words] = useUrlState('q', text, '')
  const [page] = useUrlState('page', number, 0)
  const change = useUrlChange()
  const [picked, setPicked] = useUrlState('session', text, '')
  const items = moments.data?.items ?? []
  const moment = findMoment(items, at) ?? fullest(items)
  const [order, sorting] = useOrder(ORDER)
  const filter: SessionsFilter | null = moment && {
    artifact: moment.artifact,
    snapshot: moment.snapshot,
    by,
    group: group ? group.slice(1) : null,
    idle,
    q: words,
    order,
  }
  const list = useQuery(processlistQuery(incidentId, filter, page))
  const chosen = list.data?.rows.find((row) => sessionKey(row) === picked)
  useResolvedDefaults({ at: moment ? momentId(moment) : null })
  const place = moment ? items.indexOf(moment) : -1
  const go = (next: ProcesslistMoment | undefined) =>
    next && change({ at: [momentId(next)], page: [] })
  useKeys(SESSION_KEYS, { before: () => go(items[place - 1]), after: () => go(items[place + 1]) })
  if (moments.isLoadingError)
    return (
      <Problem
        error={moments.error}
        what="The processlists could not be read"
        onRetry={() => void moments.refetch()}
      />
    )
  if (!moments.data) return <SkeletonRows rows={12} />
  if (!moment)
    return (
      <NotCollected
        title="No processlist yet"
        command="mysql -e 'SHOW FULL PROCESSLIST\G' > processlist.txt"
      >
        Sessions at each captured moment appear here, grouped by what they ran. None was uploaded,
        or the analysis has not run yet.
      </NotCollected>
    )
  return (
    <div className="tables-split">
      <div className="tables-tab">
        <SessionsOverTime
          split={{ by, idle, q: words }}
          moments={items}
          moment={moment}
          onGo={go}
          before={items[place - 1]}
          after={items[place + 1]}
          group={group}
          onGroup={(key) => change({ group: key === group ? [] : [key], page: [] })}
        />
        <div className="tables-tools">
          <div className="segments" role="group" aria-label="Group by">
            {WAYS.map(([way, label]) => (
              <Button
                key={way}
                size="small"
                pressed={by === way}
                onClick={() => change({ by: way === 'digest' ? [] : [way], group: [], page: [] })}
              >
                {label}
              </Button>
            ))}
          </div>
          <Filter
            label="Filter the sessions"
            value={words}
            onChange={(q) => change({ q: q ? [q] : [], page: [] })}
          />
          <label className="tables-check">
            <input
              type="checkbox"
              checked={idle}
              onChange={(event) => setIdle(event.target.checked)}
            />
            include sleeping
          </label>
          <span className="tables-space" />
          <WaitsLink moment={moment} />
        </div>
        <Loaded query={list} what="The processlist could not be read">
          {(data) =>
            data.groups.length === 0 ? (
              <NothingInRange what="sessions" range={{ from: null, to: null }} />
            ) : (
              <>
                <Groups list={data} chosen={group} />
                <RecordTable<ProcesslistRow>
                  tools={<GroupTitle group={group} by={by} total={data.rows_total} />}
                  pages={{ total: data.rows_total, what: 'sessions' }}
                  file="sessions"
                  {...(filter && {
                    csv: {
                      route: 'processlist.csv',
                      query: sessionsParameters(filter),
                      total: data.rows_total,
                    },
                  })}
                  empty="session"
                  label="Sessions"
                  {...sorting}
                  rows={data.rows}
                  columns={ROW_COLUMNS}
                  rowKey={sessionKey}
                  selected={picked || null}
                  onSelect={(row) => setPicked(sessionKey(row))}
                />
              </>
            )
          }
        </Loaded>
      </div>
      {chosen && <SessionInspector row={chosen} onClose={() => setPicked(null)} />}
    </div>
  )
}

function Groups({ list, chosen }: { readonly list: Processlist; readonly chosen: string }) {
  const change = useUrlChange()
  return (
    <div
      className="tables-groups"
      style={{ ['--rows' as string]: Math.max(2, list.groups.length) }}
    >
      <Table<ProcesslistGroup>
        fill
        label="Groups of sessions"
        rows={list.groups}
        columns={groupColumns(list)}
        rowKey={groupKey}
        selected={chosen || null}
        onSelect={(item) =>
          change({ group: groupKey(item) === chosen ? [] : [groupKey(item)], page: [] })
        }
      />
    </div>
  )
}

function GroupTitle({
  group,
  by,
  total,
}: {
  readonly group: string
  readonly by: By
  readonly total: number
}) {
  const change = useUrlChange()
  return (
    <>
      <h2 className="tables-title ellipsis">
        {group ? groupName({ key: group.slice(1) }, by) : 'All sessions'}{' '}
        <span className="faint">{formatNumber(total, 0)}</span>
      </h2>
      {group && (
        <Button size="small" variant="ghost" onClick={() => change({ group: [], page: [] })}>
          Show all groups
        </Button>
      )}
    </>
  )
}

function WaitsLink({ moment }: { readonly moment: ProcesslistMoment }) {
  const incidentId = useIncidentId()
  const { search } = useLocation()
  if (!moment.time) return null
  return (
    <Link
      className="btn btn-plain btn-small"
      to={`/incidents/${incidentId}/waits${sharedSearch(search, { at: moment.time })}`}
    >
      Wait graph at this moment
    </Link>
  )
}

function groupColumns(list: Processlist): Column<ProcesslistGroup>[] {
  const all = list.groups.reduce((sum, group) => sum + group.count, 0)
  return [
    {
      key: 'count',
      head: 'Sessions',
      kind: 'number',
      width: '84px',
      cell: (item) => item.count,
      sort: (item) => item.count,
    },
    {
      key: 'share',
      head: 'Share',
      width: '88px',
      cell: (item) => (
        <ShareBar
          value={item.count / Math.max(1, all)}
          tone={item.active > 0 ? 'waiting' : 'idle'}
        />
      ),
    },
    {
      key: 'key',
      head: WAYS.find(([way]) => way === list.by)?.[1] ?? 'Group',
      width: 'minmax(240px, 4fr)',
      cell: (item) =>
        item.key ? (
          <span className="mono" title={item.key}>
            {item.key}
          </span>
        ) : (
          <span className="faint">{groupName(item, list.by)}</span>
        ),
      sort: (item) => item.key,
    },
    {
      key: 'longest',
      head: 'Longest',
      kind: 'number',
      width: '92px',
      cell: (item) => <Duration value={item.max_time_s} />,
      sort: (item) => item.max_time_s,
    },
    {
      key: 'total',
      head: 'Total',
      kind: 'number',
      width: '104px',
      cell: (item) => <Duration value={item.total_time_s} />,
      sort: (item) => item.total_time_s,
    },
    {
      key: 'meaning',
      head: list.by === 'state' ? 'Meaning' : 'Users',
      width: list.by === 'state' ? 'minmax(160px, 2fr)' : '80px',
      ...(list.by === 'state' ? {} : { kind: 'number' as const }),
      cell: (item) =>
        list.by === 'state' ? (
          <span className="muted" title={item.meaning ?? undefined}>
            {item.meaning}
          </span>
        ) : (
          item.users
        ),
      ...(list.by === 'state' ? {} : { sort: (item: ProcesslistGroup) => item.users }),
    },
  ]
}

const ROW_COLUMNS: Column<ProcesslistRow>[] = [
  {
    key: 'session_id',
    head: 'Session',
    kind: 'number',
    width: '88px',
    cell: (row) => row.session_id ?? UNKNOWN,
    sort: (row) => row.session_id,
  },
  {
    key: 'user',
    optional: true,
    head: 'User',
    width: 'minmax(80px, 0.6fr)',
    cell: (row) => row.user,
    sort: (row) => row.user,
  },
  {
    key: 'client_host',
    optional: true,
    head: 'Client',
    width: 'minmax(124px, 1fr)',
    cell: (row) => <span title={row.client_host ?? ''}>{row.client_host}</span>,
    sort: (row) => row.client_host,
  },
  {
    key: 'db',
    optional: true,
    head: 'Schema',
    width: 'minmax(70px, 0.5fr)',
    cell: (row) => row.db,
    sort: (row) => row.db,
  },
  {
    key: 'time_s',
    head: 'Time',
    kind: 'number',
    width: '84px',
    cell: (row) => <Duration value={row.time_s} />,
    sort: (row) => row.time_s,
  },
  {
    key: 'state',
    head: 'State',
    width: 'minmax(110px, 1.3fr)',
    cell: (row) => <span title={row.state ?? ''}>{row.state || row.command}</span>,
    sort: (row) => row.state || row.command,
  },
  {
    key: 'query',
    head: 'Statement',
    width: 'minmax(220px, 3fr)',
    cell: (row) =>
      row.query ? (
        <span className="mono" title={row.query}>
          {row.query}
        </span>
      ) : (
        <span className="faint">none</span>
      ),
    sort: (row) => row.query,
  },
  { key: 'lines', head: 'Raw lines', width: '120px', cell: (row) => <Lines place={row} /> },
  {
    key: 'pin',
    head: 'Pin',
    width: '84px',
    cell: (row) => (
      <PinRow place={row} title={sessionClaim(row)} chosen={{ session: sessionKey(row) }}>
        Pin
      </PinRow>
    ),
  },
]

/** Return the key of a row; a session may appear in several lists of one file. */
const sessionKey = (row: ProcesslistRow) => `${row.session_id}:${row.line_first}`

/** Return how people know a session: by its id, or by its user where the list prints no ids. */
const sessionName = (row: ProcesslistRow) =>
  row.session_id === null ? `session of ${row.user ?? UNKNOWN}` : `session ${row.session_id}`

/** Return the title of a pin of a row: "session 390: updating for 96 s". */
const sessionClaim = (row: ProcesslistRow) =>
  `${sessionName(row)}: ${row.state || row.command || 'no state'} for ${formatDuration(row.time_s)}`

function SessionInspector({
  row,
  onClose,
}: {
  readonly row: ProcesslistRow
  readonly onClose: () => void
}) {
  return (
    <Inspector
      title={sessionName(row).replace(/^s/, 'S')}
      subtitle={row.state || row.command || ''}
      actions={
        <PinRow place={row} title={sessionClaim(row)} chosen={{ session: sessionKey(row) }} />
      }
      onClose={onClose}
    >
      <InspectorSection title="Row">
        <Fields
          items={[
            ['User', row.user],
            ['Client', row.client_host],
            ['Schema', row.db],
            ['Command', row.command],
            ['Time', <Duration key="time" value={row.time_s} />],
            ['State', row.state],
            ['Raw lines', <Lines key="lines" place={row} whole />],
          ]}
        />
      </InspectorSection>
      {row.query && (
        <InspectorSection title="Statement">
          <pre className="tables-query mono">
            {row.query}
            {row.query_cut && '… shortened: the raw lines have the rest'}
          </pre>
        </InspectorSection>
      )}
    </Inspector>
  )
}
