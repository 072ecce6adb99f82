/** Statements grouped by shape, longest total time first, from one source; a shape opens its examples. */
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import type { QueryExample, TopQueries, TopQuery } from '@/api/schema'
import { formatCount, formatNumber, UNKNOWN } from '@/format'
import { type Range, useIncidentId, useRange } from '@/state/incident'
import { oneOf, text, useUrlChange, useUrlState } from '@/state/url'
import { ShareBar } from '@/ui/display/Bar'
import { Button } from '@/ui/controls/Button'
import { Fields, Inspector, InspectorSection } from '@/ui/panels/Inspector'
import { Problem, SkeletonRows } from '@/ui/display/States'
import type { Column } from '@/ui/table/Table'
import { Duration, Time } from '@/ui/display/Value'
import { Filter, NotCollected, NothingInRange, RangeNote, useOrder } from './parts'
import { RecordTable } from './RecordTable'
import {
  examplesQuery,
  type QueryOrder,
  topQueriesQuery,
  window as rangeParameters,
} from './queries'
import { Lines, PinRow } from './Source'

type QuerySource = TopQueries['source']
const SOURCES: readonly (readonly [QuerySource, string])[] = [
  ['slow_log', 'Slow log'],
  ['query_digest', 'Query digest'],
  ['processlist', 'Processlists'],
]
const SOURCE = oneOf<QuerySource | 'any'>(['slow_log', 'query_digest', 'processlist'])

const ORDER = oneOf<QueryOrder | ''>([
  ...(['shape', 'share', 'calls', 'total_s', 'p95_s', 'max_s', 'lock_s', 'sessions'] as const),
  'rows_examined',
])

export function QueriesTab() {
  const incidentId = useIncidentId()
  const [range] = useRange()
  const [sourceChoice] = useUrlState<QuerySource | 'any'>('source', SOURCE, 'any')
  const [words] = useUrlState('q', text, '')
  const [pick, setPick] = useUrlState('pick', text, '')
  const change = useUrlChange()
  const q = useDeferredValue(words)
  const [order, sorting] = useOrder(ORDER)
  const first = useQuery(
    topQueriesQuery(
      incidentId,
      sourceChoice === 'any' ? 'slow_log' : sourceChoice,
      q,
      range,
      order,
    ),
  )
  const counts = first.data?.counts
  const best = SOURCES.find(([name]) => (counts?.[name] ?? 0) > 0)?.[0] ?? 'slow_log'
  const source = sourceChoice === 'any' ? best : sourceChoice
  const list = useQuery(topQueriesQuery(incidentId, source, q, range, order))
  if (list.isLoadingError)
    return (
      <Problem
        error={list.error}
        what="The queries could not be read"
        onRetry={() => void list.refetch()}
      />
    )
  if (!list.data || !counts) return <SkeletonRows rows={12} />
  const { items } = list.data
  const chosen = items.find((item) => item.id === pick)
  if (!SOURCES.some(([name]) => (counts[name] ?? 0) > 0))
    return (
      <NotCollected
        title="No statements yet"
        command={`mysql -e "SET GLOBAL long_query_time = 0.1, slow_query_log = ON"`}
      >
        Statements of slow query logs, query digests and processlists appear here, grouped by shape.
        None was uploaded.
      </NotCollected>
    )
  return (
    <div className="tables-split">
      <div className="tables-tab">
        <RecordTable<TopQuery>
          tools={
            <>
              <SourceChoice counts={counts} chosen={source} />
              <Filter
                label="Filter the statements"
                value={words}
                onChange={(next) => change({ q: next ? [next] : [] })}
              />
              {source === 'query_digest' ? (
                <span className="faint">whole report: not limited to the range</span>
              ) : (
                <RangeNote />
              )}
            </>
          }
          summary={<Totals of={list.data} source={source} />}
          file="top-queries"
          csv={{
            route: 'queries.csv',
            query: { source, q, ...rangeParameters(range), ...order },
            total: list.data.shapes,
          }}
          note={
            source === 'processlist' && (
              <p className="tables-note muted">
                Each row of each processlist counts once, so a session that was seen in five lists
                counts five times; times are those since its state changed.
              </p>
            )
          }
          empty={{ message: <NothingInRange what="statement" range={range} /> }}
          label="Top queries"
          {...sorting}
          rows={items}
          columns={columnsOf(source)}
          rowKey={(item) => item.id}
          selected={chosen?.id ?? null}
          onSelect={(item) => setPick(item.id === pick ? null : item.id)}
        />
      </div>
      {chosen && (
        <QueryInspector
          query={chosen}
          source={source}
          range={range}
          onClose={() => setPick(null)}
        />
      )}
    </div>
  )
}

function SourceChoice({
  counts,
  chosen,
}: {
  readonly counts: TopQueries['counts']
  readonly chosen: QuerySource
}) {
  const change = useUrlChange()
  return (
    <div className="segments" role="group" aria-label="Source">
      {SOURCES.map(([name, label]) => (
        <Button
          key={name}
          size="small"
          pressed={chosen === name}
          disabled={(counts[name] ?? 0) === 0}
          title={(counts[name] ?? 0) === 0 ? 'not captured' : undefined}
          onClick={() => change({ source: [name], pick: [] })}
        >
          {label}
        </Button>
      ))}
    </div>
  )
}

function Totals({ of, source }: { readonly of: TopQueries; readonly source: QuerySource }) {
  return (
    <span className="muted">
      {formatCount(of.shapes, 'statement shape')},{' '}
      {formatCount(of.calls, source === 'processlist' ? 'row' : 'call')}
      {of.total_s !== null && source !== 'processlist' && (
        <>
          , <Duration value={of.total_s} />
        </>
      )}
    </span>
  )
}

/** Return the title of a pin of a shape: "96.2 s in 300 calls: UPDATE ...". */
const queryClaim = ({ total_s: total, calls, shape }: TopQuery) =>
  total === null ? shape : `${formatNumber(total, 1)} s in ${calls ?? UNKNOWN} calls: ${shape}`

function columnsOf(source: QuerySource): Column<TopQuery>[] {
  const seconds = (
    key: 'total_s' | 'mean_s' | 'p95_s' | 'max_s' | 'lock_s',
    head: string,
  ): Column<TopQuery> => ({
    key,
    head,
    kind: 'number',
    width: '92px',
    cell: (item) => <Duration value={item[key]} />,
    sort: (item) => item[key],
  })
  const count = (
    key: 'calls' | 'rows_examined' | 'rows_sent' | 'sessions',
    head: string,
  ): Column<TopQuery> => ({
    key,
    head,
    kind: 'number',
    width: '92px',
    cell: (item) =>
      item[key] === null ? <span className="faint">{UNKNOWN}</span> : formatNumber(item[key], 0),
    sort: (item) => item[key],
  })
  const log = source !== 'processlist'
  return [
    {
      key: 'shape',
      head: 'Statement',
      width: 'minmax(260px, 5fr)',
      cell: (item) => (
        <span className="mono" title={item.shape}>
          {item.shape}
        </span>
      ),
      sort: (item) => item.shape,
    },
    {
      key: 'share',
      head: 'Share',
      width: '84px',
      cell: (item) => <ShareBar value={item.share} tone="waiting" />,
      sort: (item) => item.share,
    },
    count('calls', log ? 'Calls' : 'Rows'),
    seconds('total_s', log ? 'Time' : 'Time, sum'),
    seconds('p95_s', 'p95'),
    seconds('max_s', 'Longest'),
    ...(log
      ? [seconds('lock_s', 'Lock time'), count('rows_examined', 'Examined')]
      : [count('sessions', 'Sessions')]),
    { key: 'lines', head: 'Raw lines', width: '116px', cell: (item) => <Lines place={item} /> },
    {
      key: 'pin',
      head: 'Pin',
      width: '84px',
      cell: (item) => (
        <PinRow place={item} title={queryClaim(item)} chosen={{ pick: item.id }}>
          Pin
        </PinRow>
      ),
    },
  ]
}

function QueryInspector({
  query,
  source,
  range,
  onClose,
}: {
  readonly query: TopQuery
  readonly source: QuerySource
  readonly range: Range
  readonly onClose: () => void
}) {
  return (
    <Inspector
      title="Statement"
      subtitle={<span className="mono ellipsis">{query.shape.slice(0, 80)}</span>}
      actions={<PinRow place={query} title={queryClaim(query)} chosen={{ pick: query.id }} />}
      onClose={onClose}
    >
      <InspectorSection title="Shape">
        <pre className="tables-query mono">{query.shape}</pre>
        <Fields
          items={[
            query.logged !== null && [
              'Sampled log',
              `${formatNumber(query.logged, 0)} written, of about ${formatNumber(query.calls ?? 0, 0)}`,
            ],
            ['Mean', <Duration key="mean" value={query.mean_s} />],
            ['p95 (nearest rank)', <Duration key="p95" value={query.p95_s} />],
            query.rows_sent !== null && ['Rows sent', formatNumber(query.rows_sent, 0)],
            query.users !== null && ['Users', query.users],
            query.first !== null && ['First', <Time key="first" at={query.first} />],
            query.last !== null && ['Last', <Time key="last" at={query.last} />],
            ['Raw lines', <Lines key="lines" place={query} whole />],
          ]}
        />
      </InspectorSection>
      {source !== 'query_digest' && <Examples query={query.id} source={source} range={range} />}
    </Inspector>
  )
}

function Examples({
  query,
  source,
  range,
}: {
  readonly query: string
  readonly source: Exclude<QuerySource, 'query_digest'>
  readonly range: Range
}) {
  const incidentId = useIncidentId()
  const list = useQuery(examplesQuery(incidentId, source, query, range))
  if (list.isLoadingError)
    return <Problem compact error={list.error} what="The examples could not be read" />
  if (!list.data) return <SkeletonRows rows={4} />
  return (
    <InspectorSection
      title={`The ${list.data.items.length} longest of ${formatNumber(list.data.total, 0)}`}
    >
      <ul className="examples">
        {list.data.items.map((item) => (
          <Example key={`${item.artifact}${item.line_first}`} example={item} />
        ))}
      </ul>
    </InspectorSection>
  )
}

const clientOf = ({ client_host: host, client_ip: ip }: QueryExample) =>
  ip === null || ip === host ? host : `${host} (${ip})`

function Example({ example }: { readonly example: QueryExample }) {
  return (
    <li>
      <div className="example-head">
        <Duration value={example.duration_s} />
        <span className="muted">
          {example.state ? `${example.state}, ` : ''}session {example.session_id ?? UNKNOWN}
          {example.user ? ` of ${example.user}` : ''}
        </span>
        <span className="tables-space" />
        <Time at={example.time} style="clock" />
        <Lines place={example} />
      </div>
      <pre className="tables-query mono">
        {example.query}
        {example.query_cut && '…'}
      </pre>
      <Fields
        items={[
          example.weight !== null && [
            'Represents',
            `${formatNumber(example.weight, 0)} statements`,
          ],
          example.client_host !== null && ['Client', clientOf(example)],
          example.trx_id !== null && ['Transaction', <code key="trx">{example.trx_id}</code>],
          ...example.counts.map(
            ({ name, value, text }) =>
              [name, value === null ? text : formatNumber(value, 6)] as const,
          ),
        ]}
      />
    </li>
  )
}
