/** The log of the incident: repeated messages grouped with their counts over time, or every event. */
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import { Link, useLocation } from 'react-router'
import type { LogEvent, LogGroup, LogGroups, LogPage } from '@/api/schema'
import { formatNumber, type TimeStyle } from '@/format'
import { useIncidentId, useRange, useZone } from '@/state/incident'
import {
  list as many,
  number,
  oneOf,
  sharedSearch,
  text,
  useUrlChange,
  useUrlState,
} from '@/state/url'
import { Sparkline } from '@/ui/display/Bar'
import { Button } from '@/ui/controls/Button'
import { Chip, type Tone } from '@/ui/controls/Chip'
import { EmptyState, Problem, SkeletonRows } from '@/ui/display/States'
import type { Column } from '@/ui/table/Table'
import { Time } from '@/ui/display/Value'
import { Filter, NotCollected, useOrder } from './parts'
import { RecordTable } from './RecordTable'
import {
  type EventOrder,
  type GroupOrder,
  logParameters,
  logGroupsQuery,
  logQuery,
} from './queries'
import { Lines, PinRow } from './Source'

const VIEW = oneOf<'groups' | 'events'>(['groups', 'events'])
const SEVERITIES = ['error', 'warning', 'note', 'system', 'none'] as const

/** Reset of page and sort for the other list, which has other columns. */
const FIRST_PAGE = { page: [], sort: [], down: [] }
const EVENT_ORDER = oneOf<EventOrder | ''>([
  ...(['time', 'severity', 'kind', 'subsystem', 'message', 'host'] as const),
])
const GROUP_ORDER = oneOf<GroupOrder | ''>(['count', 'severity', 'shape', 'first', 'last'])

export function LogTab() {
  const incidentId = useIncidentId()
  const [range] = useRange()
  const [view] = useUrlState<'groups' | 'events'>('view', VIEW, 'groups')
  const [severity] = useUrlState<readonly string[]>('severity', many, [])
  const [words] = useUrlState('q', text, '')
  const [group] = useUrlState('group', text, '')
  const [page] = useUrlState('page', number, 0)
  const change = useUrlChange()
  const filter = { severity, q: useDeferredValue(words), group }
  const opened = view === 'events' || group !== ''
  const [eventOrder, eventSort] = useOrder(EVENT_ORDER)
  const [groupOrder, groupSort] = useOrder(GROUP_ORDER)
  const zone = useZone()
  const events = useQuery(logQuery(incidentId, filter, range, opened ? eventOrder : null, page))
  const groups = useQuery({
    ...logGroupsQuery(incidentId, filter, range, opened ? null : groupOrder),
    enabled: view === 'groups' || group !== '',
  })
  const error = events.error ?? groups.error
  if (error)
    return (
      <Problem
        error={error}
        what="The log could not be read"
        onRetry={() => void events.refetch().then(() => groups.refetch())}
      />
    )
  if (!events.data) return <SkeletonRows rows={12} />
  if (events.data.everything === 0)
    return (
      <NotCollected
        title="No log yet"
        command="sudo journalctl -k --since '1 hour ago' > kernel.log; cp $(mysql -NBe 'SELECT @@log_error') ."
      >
        Error logs, kernel logs and triggers appear here as events: filtered, searched, grouped by
        message.
      </NotCollected>
    )
  const days = new Set(
    (groups.data?.items ?? [])
      .flatMap(({ first, last }) => [first, last])
      .flatMap((at) => (at === null ? [] : [zone.format(at, 'date')])),
  )
  const tools = (
    <>
      <ViewChoice opened={opened} />
      <SeverityChoice chosen={severity} counts={events.data.severities} />
      <Filter
        label="Search the messages"
        value={words}
        onChange={(q) => change({ q: q ? [q] : [], page: [], group: [] })}
      />
    </>
  )
  return (
    <div className="tables-tab">
      {opened ? (
        <RecordTable<LogEvent>
          tools={tools}
          ranged
          pages={{ total: events.data.total, what: 'events' }}
          file="log"
          csv={{
            route: 'log.csv',
            query: { ...logParameters(filter, range), ...eventOrder },
            total: events.data.total,
          }}
          note={
            group && (
              <GroupNote shape={groups.data?.items.find((item) => item.id === group)?.shape} />
            )
          }
          empty="event"
          label="Events of the log"
          {...eventSort}
          rows={events.data.items}
          columns={EVENT_COLUMNS}
          rowKey={(event) => `${event.artifact}:${event.line_first}:${event.kind}`}
          rowClass={(event) => event.severity === 'error' && 'log-error'}
        />
      ) : (
        <RecordTable<LogGroup>
          tools={tools}
          ranged
          file="log-groups"
          csv={{
            route: 'log/groups.csv',
            query: { ...logParameters(filter, range), ...groupOrder },
            total: groups.data?.groups ?? 0,
          }}
          empty={groups.data ? 'event' : { message: <SkeletonRows rows={12} /> }}
          more={groups.data && <Unlisted of={groups.data} />}
          label="Repeated messages"
          {...groupSort}
          rows={groups.data?.items ?? []}
          columns={days.size > 1 ? SEVERAL_DAYS : ONE_DAY}
          rowKey={(item) => item.id}
          selected={null}
          onSelect={(item) => change({ group: [item.id], ...FIRST_PAGE }, { push: true })}
          rowClass={(item) => item.severity === 'error' && 'log-error'}
        />
      )}
    </div>
  )
}

function ViewChoice({ opened }: { readonly opened: boolean }) {
  const change = useUrlChange()
  return (
    <div className="segments" role="group" aria-label="View">
      <Button
        size="small"
        pressed={!opened}
        onClick={() => change({ view: [], group: [], ...FIRST_PAGE })}
      >
        Grouped
      </Button>
      <Button
        size="small"
        pressed={opened}
        onClick={() => change({ view: ['events'], group: [], ...FIRST_PAGE })}
      >
        Every event
      </Button>
    </div>
  )
}

function SeverityChoice({
  chosen,
  counts,
}: {
  readonly chosen: readonly string[]
  readonly counts: LogPage['severities']
}) {
  const change = useUrlChange()
  const toggle = (severity: string) =>
    change({
      severity: chosen.includes(severity)
        ? chosen.filter((other) => other !== severity)
        : [...chosen, severity],
      page: [],
    })
  return (
    <div className="segments" role="group" aria-label="Severity">
      {SEVERITIES.map((severity) => (
        <Button
          key={severity}
          size="small"
          pressed={chosen.includes(severity)}
          disabled={!counts[severity] && !chosen.includes(severity)}
          onClick={() => toggle(severity)}
        >
          {severity} <span className="faint">{formatNumber(counts[severity] ?? 0, 0)}</span>
        </Button>
      ))}
    </div>
  )
}

/** The note with the message that the listed events share. */
function GroupNote({ shape }: { readonly shape: string | undefined }) {
  const change = useUrlChange()
  return (
    <div className="tables-tools">
      <span className="mono ellipsis">{shape ?? 'one message'}</span>
      <Button size="small" variant="ghost" onClick={() => change({ group: [], ...FIRST_PAGE })}>
        Back to all
      </Button>
    </div>
  )
}

function Unlisted({ of: { groups, items } }: { readonly of: LogGroups }) {
  if (groups <= items.length || items.length === 0) return null
  return (
    <EmptyState compact title="Not all messages are listed">
      The {items.length} most frequent of {groups} are listed: choose a shorter range, a severity or
      a search word.
    </EmptyState>
  )
}

const TONES: Record<string, Tone> = {
  error: 'holding',
  warning: 'waiting',
  note: 'idle',
  system: 'plain',
}

function Severity({ value }: { readonly value: string | null }) {
  return value ? (
    <Chip tone={TONES[value] ?? 'plain'}>{value}</Chip>
  ) : (
    <span className="faint">none</span>
  )
}

/** A link to the minute around a time on the timeline. */
function Moment({
  at,
  style = 'seconds',
}: {
  readonly at: string | null
  readonly style?: TimeStyle
}) {
  const incidentId = useIncidentId()
  const { search } = useLocation()
  if (at === null) return <span className="faint">unknown</span>
  const time = Date.parse(at)
  const iso = (shift: number) => new Date(time + shift).toISOString()
  const to = sharedSearch(search, { start: iso(-30_000), end: iso(30_000) })
  return (
    <Link to={`/incidents/${incidentId}/timeline${to}`} title="Show this moment on the timeline">
      <Time at={at} style={style} />
    </Link>
  )
}

/** The columns; the date is left out where all rows have the same, which leaves more room for the message. */
const groupColumns = (isOneDay: boolean): readonly Column<LogGroup>[] => [
  {
    key: 'count',
    head: 'Times',
    kind: 'number',
    width: '80px',
    cell: (item) => formatNumber(item.count, 0),
    sort: (item) => item.count,
  },
  {
    key: 'spark',
    optional: true,
    head: 'Over time',
    width: '136px',
    cell: (item) => (
      <Sparkline
        values={item.buckets}
        width={116}
        height={22}
        label={`${item.count} in ${item.buckets.length} parts of the range`}
      />
    ),
  },
  {
    key: 'severity',
    head: 'Severity',
    width: '100px',
    cell: (item) => <Severity value={item.severity} />,
    sort: (item) => item.severity,
  },
  {
    key: 'shape',
    head: 'Message',
    width: 'minmax(280px, 5fr)',
    cell: (item) => (
      <span className="mono" title={item.example.message}>
        {item.count === 1 ? item.example.message : item.shape}
      </span>
    ),
    sort: (item) => item.shape,
  },
  {
    key: 'first',
    head: 'First',
    width: isOneDay ? '92px' : '172px',
    cell: (item) => <Moment at={item.first} style={isOneDay ? 'clock' : 'seconds'} />,
    sort: (item) => item.first,
  },
  {
    key: 'last',
    optional: true,
    head: 'Last',
    width: isOneDay ? '92px' : '172px',
    cell: (item) => <Moment at={item.last} style={isOneDay ? 'clock' : 'seconds'} />,
    sort: (item) => item.last,
  },
  {
    key: 'lines',
    head: 'Raw lines',
    width: '170px',
    cell: (item) => <Lines place={item.example} whole />,
  },
  {
    key: 'pin',
    head: 'Pin',
    width: '84px',
    cell: (item) => (
      <PinRow
        place={item.example}
        title={`${formatNumber(item.count, 0)} × ${item.shape}`}
        chosen={{ group: item.id }}
      >
        Pin
      </PinRow>
    ),
  },
]

const ONE_DAY = groupColumns(true)
const SEVERAL_DAYS = groupColumns(false)

const EVENT_COLUMNS: Column<LogEvent>[] = [
  {
    key: 'time',
    head: 'When',
    width: '172px',
    cell: (item) => <Moment at={item.time} />,
    sort: (item) => item.time,
  },
  {
    key: 'severity',
    head: 'Severity',
    width: '100px',
    cell: (item) => <Severity value={item.severity} />,
    sort: (item) => item.severity,
  },
  {
    key: 'kind',
    optional: true,
    head: 'Kind',
    width: '100px',
    cell: (item) => item.kind.replaceAll('_', ' '),
    sort: (item) => item.kind,
  },
  {
    key: 'subsystem',
    optional: true,
    head: 'Subsystem',
    width: '80px',
    cell: (item) => item.subsystem,
    sort: (item) => item.subsystem,
  },
  {
    key: 'message',
    head: 'Message',
    width: 'minmax(280px, 5fr)',
    cell: (item) => (
      <span className="mono" title={item.message}>
        {item.message}
        {item.message_cut && '…'}
      </span>
    ),
    sort: (item) => item.message,
  },
  {
    key: 'host',
    optional: true,
    head: 'Host',
    width: 'minmax(80px, 0.6fr)',
    cell: (item) => item.host,
    sort: (item) => item.host,
  },
  { key: 'lines', head: 'Raw lines', width: '170px', cell: (item) => <Lines place={item} whole /> },
  {
    key: 'pin',
    head: 'Pin',
    width: '84px',
    cell: (item) => (
      <PinRow place={item} title={item.message}>
        Pin
      </PinRow>
    ),
  },
]
