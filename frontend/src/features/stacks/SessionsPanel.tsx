/** The processlist nearest to a sample: sessions by state, and what each state means. */
import { formatCount, UNKNOWN } from '@/format'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { Link, useLocation } from 'react-router'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import type { components } from '@/api/schema'
import { text, useUrlState } from '@/state/url'
import { ShareBar } from '@/ui/display/Bar'
import { Evidence, useArtifactByHash } from '@/ui/evidence/evidence'
import { ExportMenu } from '@/ui/controls/ExportMenu'
import { EmptyState, Problem, SkeletonRows } from '@/ui/display/States'
import { type Column, Table } from '@/ui/table/Table'
import { Duration, Time } from '@/ui/display/Value'
import { waitsPath } from './ThreadsPanel'
import { categoryWords, sessionRows, sessionWords } from './words'

type Sessions = components['schemas']['Sessions']
type SessionGroup = components['schemas']['SessionGroup']
type Session = components['schemas']['SessionOut']

const sessionsQuery = (id: string, at: string | null) =>
  queryOptions({
    queryKey: keys.of(id, 'sessions', at),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/sessions', {
          params: { path: { incident_id: id }, query: { at: at ?? '' } },
        }),
      ),
    enabled: at !== null,
    placeholderData: keepPreviousData,
  })

export function SessionsPanel({
  incidentId,
  at,
}: {
  readonly incidentId: string
  readonly at: string | null
}) {
  const sessions = useQuery(sessionsQuery(incidentId, at))
  const find = useArtifactByHash(incidentId)
  const { search } = useLocation()
  const [given, setChosen] = useUrlState('state', text, '')
  const chosen = given || null
  if (at === null) {
    return (
      <EmptyState compact title="No sessions near this sample">
        The time of the sample is not known. Set its zone in the artifacts.
      </EmptyState>
    )
  }
  if (sessions.isLoadingError) {
    return <Problem error={sessions.error} what="The sessions could not be loaded" compact />
  }
  if (sessions.isPending) return <SkeletonRows rows={6} />
  const { data } = sessions
  if (data.total === 0) {
    return (
      <EmptyState compact title="No processlist near this moment">
        Sessions appear when a processlist was taken within 30 s of the sample.
      </EmptyState>
    )
  }
  const listed = data.sessions.filter(
    (session) => chosen === null || sessionWords(session) === chosen,
  )
  return (
    <div className="stacks-sessions">
      <div className="stacks-sum">
        <p className="muted">
          {formatCount(data.total, 'session')} in the processlist of <Time at={data.time} />
        </p>
        <ExportMenu name={['sessions', data.time ?? '']} rows={() => sessionRows(listed)} />
      </div>
      <Table<SessionGroup>
        label="Sessions by state"
        rows={data.groups}
        columns={groupColumns(data)}
        rowKey={sessionWords}
        selected={chosen}
        onSelect={(group) => {
          const words = sessionWords(group)
          setChosen(words === chosen ? null : words, { push: true })
        }}
      />
      <h3>
        {chosen ?? 'All sessions'}
        <span className="muted">
          {' '}
          {chosen ? listed.length : data.total}
          {data.sessions.length < data.total &&
            `, the ${data.sessions.length} longest of all are listed`}
        </span>
      </h3>
      <div className="stacks-sessionlist">
        <Table<Session>
          label="Sessions"
          rows={listed}
          columns={sessionColumns(incidentId, find(data.artifact)?.path ?? null, (item) =>
            waitsPath(search, data.time ?? at, String(item.session_id ?? '')),
          )}
          rowKey={(item) => `${item.session_id}:${item.line_first}`}
          copy
          fill
        />
      </div>
    </div>
  )
}

function groupColumns(data: Sessions): readonly Column<SessionGroup>[] {
  return [
    {
      key: 'count',
      head: 'Sessions',
      kind: 'number',
      width: '80px',
      cell: (group) => group.count,
      sort: (group) => group.count,
    },
    {
      key: 'share',
      head: 'Share',
      width: '88px',
      cell: (group) => (
        <ShareBar
          value={group.count / data.total}
          tone={group.command === 'Sleep' ? 'idle' : 'waiting'}
        />
      ),
    },
    {
      key: 'state',
      head: 'Command and state',
      width: 'minmax(160px, 1fr)',
      cell: (group) => <span className="mono ellipsis">{sessionWords(group)}</span>,
      sort: sessionWords,
    },
    {
      key: 'longest',
      head: 'Longest',
      kind: 'number',
      width: '90px',
      cell: (group) => <Duration value={group.max_time_s} />,
      sort: (group) => group.max_time_s,
    },
    {
      key: 'meaning',
      head: 'What it means',
      width: 'minmax(200px, 2fr)',
      cell: (group) => (
        <span className="ellipsis muted" title={group.meaning ?? undefined}>
          {group.meaning ?? (group.category ? categoryWords(group.category) : '')}
        </span>
      ),
    },
  ]
}

function sessionColumns(
  incidentId: string,
  path: string | null,
  inGraph: (session: Session) => string,
): readonly Column<Session>[] {
  return [
    {
      key: 'session',
      head: 'Session',
      kind: 'number',
      width: '80px',
      cell: (item) => item.session_id ?? UNKNOWN,
      sort: (item) => item.session_id,
    },
    {
      key: 'user',
      head: 'User',
      width: 'minmax(90px, 0.5fr)',
      cell: (item) => <span className="ellipsis">{item.user}</span>,
      sort: (item) => item.user,
    },
    {
      key: 'time',
      head: 'Time',
      kind: 'number',
      width: '80px',
      cell: (item) => <Duration value={item.time_s} />,
      sort: (item) => item.time_s,
    },
    {
      key: 'query',
      head: 'Statement',
      width: 'minmax(220px, 3fr)',
      cell: (item) => (
        <span className="mono ellipsis" title={item.query ?? undefined}>
          {item.query ?? <span className="faint">none</span>}
        </span>
      ),
      sort: (item) => item.query,
    },
    {
      key: 'graph',
      head: 'Wait graph',
      width: '124px',
      cell: (item) => <Link to={inGraph(item)}>Who it waits for</Link>,
    },
    {
      key: 'raw',
      head: 'Raw lines',
      width: 'minmax(150px, 1fr)',
      cell: (item) => (
        <Evidence
          incidentId={incidentId}
          locator={{
            kind: 'lines',
            artifact: item.artifact,
            path,
            line_first: item.line_first,
            line_last: item.line_last,
            ranges: [],
            series: null,
            start: null,
            end: null,
            at: null,
            node: null,
            setting: null,
            text: '',
          }}
        />
      ),
    },
  ]
}
