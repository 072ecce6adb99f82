/** The log of the incident: repeated messages as one with their counts over time, or every event. */
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import { Link, useLocation } from 'react-router'
import type { LogEvent, LogGroup } from '@/api/schema'
import { formatNumber } from '@/format'
import { useIncidentId, useRange } from '@/state/incident'
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
import { type Column, Table } from '@/ui/table/Table'
import { Time } from '@/ui/display/Value'
import { Export, Filter, NotCollected, NothingInRange, Pages, RangeNote, useOrder } from './parts'
import {
  csvAddress,
  type EventOrder,
  type GroupOrder,
  logAsked,
  logGroupsQuery,
  logQuery,
  PAGE_ROWS,
} from './queries'
import { Lines, PinRow } from './Source'

const VIEW = oneOf<'groups' | 'events'>(['groups', 'events'])
const SEVERITIES = ['error', 'warning', 'note', 'system', 'none'] as const

/** Of the other list, whose columns are others. */
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
  const [page, setPage] = useUrlState('page', number, 0)
  const change = useUrlChange()
  const asked = { severity, q: useDeferredValue(words), group }
  const opened = view === 'events' || group !== ''
  const [eventOrder, eventSort] = useOrder(EVENT_ORDER)
  const [groupOrder, groupSort] = useOrder(GROUP_ORDER)
  const events = useQuery(logQuery(incidentId, asked, range, opened ? eventOrder : null, page))
  const groups = useQuery({
    ...logGroupsQuery(incidentId, asked, range, opened ? null : groupOrder),
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
        Error logs, kernel logs and triggers appear here as events: filtered, searched, repeated
        messages counted as one.
      </NotCollected>
    )
  const toggle = (one: string) =>
    change({
      severity: severity.includes(one)
        ? severity.filter((other) => other !== one)
        : [...severity, one],
      page: [],
    })
  const named = groups.data?.items.find((one) => one.id === group)
  return (
    <div className="tables-tab">
      <div className="tables-tools">
        <div className="segments" role="group" aria-label="View">
          <Button
            size="small"
            pressed={!opened}
            onClick={() => change({ view: [], group: [], ...FIRST_PAGE })}
          >
            Repeated as one
          </Button>
          <Button
            size="small"
            pressed={opened}
            onClick={() => change({ view: ['events'], group: [], ...FIRST_PAGE })}
          >
            Every event
          </Button>
        </div>
        <div className="segments" role="group" aria-label="Severity">
          {SEVERITIES.map((one) => (
            <Button
              key={one}
              size="small"
              pressed={severity.includes(one)}
              disabled={!events.data.severities[one] && !severity.includes(one)}
              onClick={() => toggle(one)}
            >
              {one}{' '}
              <span className="faint">{formatNumber(events.data.severities[one] ?? 0, 0)}</span>
            </Button>
          ))}
        </div>
        <Filter
          label="Search the messages"
          value={words}
          onChange={(q) => change({ q: q ? [q] : [], page: [], group: [] })}
        />
        <RangeNote />
        <span className="tables-space" />
        {opened ? (
          <>
            <Pages
              page={page}
              size={PAGE_ROWS}
              total={events.data.total}
              onPage={setPage}
              what="events"
            />
            <Export
              rows={events.data.items}
              columns={EVENT_COLUMNS}
              name="log"
              all={{
                csv: csvAddress(incidentId, 'log.csv', {
                  ...logAsked(asked, range),
                  ...eventOrder,
                }),
                total: events.data.total,
              }}
            />
          </>
        ) : (
          <Export
            rows={groups.data?.items ?? []}
            columns={GROUP_COLUMNS}
            name="log-groups"
            all={{
              csv: csvAddress(incidentId, 'log/groups.csv', {
                ...logAsked(asked, range),
                ...groupOrder,
              }),
              total: groups.data?.groups ?? 0,
            }}
          />
        )}
      </div>
      {group && (
        <div className="tables-tools">
          <span className="mono ellipsis">{named?.shape ?? 'one message'}</span>
          <Button size="small" variant="ghost" onClick={() => change({ group: [], ...FIRST_PAGE })}>
            Back to all
          </Button>
        </div>
      )}
      {opened ? (
        events.data.items.length === 0 ? (
          <NothingInRange what="event" range={range} />
        ) : (
          <div className="tables-rows">
            <Table<LogEvent>
              fill
              label="Events of the log"
              {...eventSort}
              rows={events.data.items}
              columns={EVENT_COLUMNS}
              rowKey={(one) => `${one.artifact}:${one.line_first}:${one.kind}`}
              rowClass={(one) => one.severity === 'error' && 'log-error'}
            />
          </div>
        )
      ) : !groups.data ? (
        <SkeletonRows rows={12} />
      ) : groups.data.items.length === 0 ? (
        <NothingInRange what="event" range={range} />
      ) : (
        <>
          <div className="tables-rows">
            <Table<LogGroup>
              fill
              label="Repeated messages"
              {...groupSort}
              rows={groups.data.items}
              columns={GROUP_COLUMNS}
              rowKey={(one) => one.id}
              selected={null}
              onSelect={(one) => change({ group: [one.id], ...FIRST_PAGE }, { push: true })}
              rowClass={(one) => one.severity === 'error' && 'log-error'}
            />
          </div>
          {groups.data.groups > groups.data.items.length && (
            <EmptyState compact title="More messages than are listed">
              The {groups.data.items.length} most frequent of {groups.data.groups} are listed:
              choose a shorter range, a severity or a word.
            </EmptyState>
          )}
        </>
      )}
    </div>
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

/** The moment on the timeline: a minute around it. */
function Moment({ at }: { readonly at: string | null }) {
  const incidentId = useIncidentId()
  const { search } = useLocation()
  if (at === null) return <span className="faint">not known</span>
  const time = Date.parse(at)
  const iso = (shift: number) => new Date(time + shift).toISOString()
  const to = sharedSearch(search, { start: iso(-30_000), end: iso(30_000) })
  return (
    <Link to={`/incidents/${incidentId}/timeline${to}`} title="Show this moment on the timeline">
      <Time at={at} />
    </Link>
  )
}

const GROUP_COLUMNS: Column<LogGroup>[] = [
  {
    key: 'count',
    head: 'Times',
    kind: 'number',
    width: '80px',
    cell: (one) => formatNumber(one.count, 0),
    sort: (one) => one.count,
  },
  {
    key: 'spark',
    head: 'Over time',
    width: '136px',
    cell: (one) => (
      <Sparkline
        values={one.buckets}
        width={116}
        height={22}
        label={`${one.count} in ${one.buckets.length} parts of the range`}
      />
    ),
  },
  {
    key: 'severity',
    head: 'Severity',
    width: '100px',
    cell: (one) => <Severity value={one.severity} />,
    sort: (one) => one.severity,
  },
  {
    key: 'shape',
    head: 'Message',
    width: 'minmax(280px, 5fr)',
    cell: (one) => (
      <span className="mono" title={one.example.message}>
        {one.count === 1 ? one.example.message : one.shape}
      </span>
    ),
    sort: (one) => one.shape,
  },
  {
    key: 'first',
    head: 'First',
    width: '172px',
    cell: (one) => <Moment at={one.first} />,
    sort: (one) => one.first,
  },
  {
    key: 'last',
    head: 'Last',
    width: '172px',
    cell: (one) => <Moment at={one.last} />,
    sort: (one) => one.last,
  },
  {
    key: 'lines',
    head: 'Raw lines',
    width: '170px',
    cell: (one) => <Lines place={one.example} whole />,
  },
  {
    key: 'pin',
    head: 'Pin',
    width: '84px',
    cell: (one) => (
      <PinRow
        place={one.example}
        title={`${formatNumber(one.count, 0)} × ${one.shape}`}
        chosen={{ group: one.id }}
      >
        Pin
      </PinRow>
    ),
  },
]

const EVENT_COLUMNS: Column<LogEvent>[] = [
  {
    key: 'time',
    head: 'When',
    width: '172px',
    cell: (one) => <Moment at={one.time} />,
    sort: (one) => one.time,
  },
  {
    key: 'severity',
    head: 'Severity',
    width: '100px',
    cell: (one) => <Severity value={one.severity} />,
    sort: (one) => one.severity,
  },
  {
    key: 'kind',
    head: 'Kind',
    width: '100px',
    cell: (one) => one.kind.replaceAll('_', ' '),
    sort: (one) => one.kind,
  },
  {
    key: 'subsystem',
    head: 'Part',
    width: '80px',
    cell: (one) => one.subsystem,
    sort: (one) => one.subsystem,
  },
  {
    key: 'message',
    head: 'Message',
    width: 'minmax(280px, 5fr)',
    cell: (one) => (
      <span className="mono" title={one.message}>
        {one.message}
        {one.message_cut && '…'}
      </span>
    ),
    sort: (one) => one.message,
  },
  {
    key: 'host',
    head: 'Host',
    width: 'minmax(80px, 0.6fr)',
    cell: (one) => one.host,
    sort: (one) => one.host,
  },
  { key: 'lines', head: 'Raw lines', width: '170px', cell: (one) => <Lines place={one} whole /> },
  {
    key: 'pin',
    head: 'Pin',
    width: '84px',
    cell: (one) => (
      <PinRow place={one} title={one.message}>
        Pin
      </PinRow>
    ),
  },
]
