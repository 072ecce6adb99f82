/** Queries of the tables: pages and sums, within the range that all screens share. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import type { Processlist, TopQueries } from '@/api/schema'
import type { Range } from '@/state/incident'

type QuerySource = TopQueries['source']

export const window = (range: Range) => ({
  ...(range.from ? { start: range.from } : {}),
  ...(range.to ? { end: range.to } : {}),
})

export const settingSourcesQuery = (id: string) =>
  queryOptions({
    queryKey: keys.of(id, 'tables', 'settingSources'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/settings/sources', {
          params: { path: { incident_id: id } },
        }),
      ),
  })

export const settingsQuery = (id: string, a: string, b: string) =>
  queryOptions({
    queryKey: keys.of(id, 'tables', 'settings', a, b),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/settings', {
          params: { path: { incident_id: id }, query: { a, ...(b ? { b } : {}) } },
        }),
      ),
    enabled: a !== '',
    placeholderData: keepPreviousData,
  })

export const momentsQuery = (id: string) =>
  queryOptions({
    queryKey: keys.of(id, 'tables', 'processlists'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/processlists', {
          params: { path: { incident_id: id } },
        }),
      ),
  })

/** How the sessions of all processlists are grouped and filtered. */
export type SessionsSplit = {
  readonly by: Processlist['by']
  readonly idle: boolean
  readonly q: string
}

export const sessionsOverTimeQuery = (id: string, split: SessionsSplit) =>
  queryOptions({
    queryKey: keys.of(id, 'tables', 'processlistGroups', split),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/processlists/groups', {
          params: { path: { incident_id: id }, query: split },
        }),
      ),
    placeholderData: keepPreviousData,
  })

export const PAGE_ROWS = 200

export type CsvQuery = Readonly<Record<string, string | number | boolean | readonly string[]>>

/** Return the CSV address of a route of an incident. */
export function csvAddress(id: string, route: string, query: CsvQuery): string {
  const params = new URLSearchParams(
    Object.entries(query).flatMap(([key, value]) =>
      typeof value === 'object' ? value.map((name) => [key, name]) : [[key, String(value)]],
    ),
  )
  return `/api/v1/incidents/${id}/${route}?${params.toString()}`
}

/** Sort order of the server, over all rows of all pages; null is its default. */
type Order<Key extends string> = { readonly sort: Key; readonly down: boolean } | null
export type SessionOrder =
  'session_id' | 'user' | 'client_host' | 'db' | 'time_s' | 'state' | 'query'
export type QueryOrder =
  | 'shape'
  | 'share'
  | 'calls'
  | 'total_s'
  | 'p95_s'
  | 'max_s'
  | 'lock_s'
  | 'rows_examined'
  | 'sessions'
export type EventOrder = 'time' | 'severity' | 'kind' | 'subsystem' | 'message' | 'host'
export type GroupOrder = 'count' | 'severity' | 'shape' | 'first' | 'last'

export type SessionsFilter = {
  readonly artifact: string
  readonly snapshot: number
  readonly by: Processlist['by']
  /** Null: all groups; empty: the group without a key. */
  readonly group: string | null
  readonly idle: boolean
  readonly q: string
  readonly order: Order<SessionOrder>
}

export const sessionsParameters = ({ group, order, ...rest }: SessionsFilter) => ({
  ...rest,
  ...(group === null ? {} : group === '' ? { none: true } : { group }),
  ...order,
})

export const processlistQuery = (id: string, filter: SessionsFilter | null, page: number) =>
  queryOptions({
    queryKey: keys.of(id, 'tables', 'processlist', filter, page),
    queryFn: () => {
      return unwrap(
        api.GET('/api/v1/incidents/{incident_id}/processlist', {
          params: {
            path: { incident_id: id },
            query: {
              ...sessionsParameters(filter ?? NOTHING),
              offset: page * PAGE_ROWS,
              limit: PAGE_ROWS,
            },
          },
        }),
      )
    },
    enabled: filter !== null,
    placeholderData: keepPreviousData,
  })

const NOTHING: SessionsFilter = {
  artifact: '',
  snapshot: 0,
  by: 'digest',
  group: null,
  idle: false,
  q: '',
  order: null,
}

export const deadlocksQuery = (id: string, range: Range, pattern: string) =>
  queryOptions({
    queryKey: keys.of(id, 'tables', 'deadlocks', range, pattern),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/deadlocks', {
          params: {
            path: { incident_id: id },
            query: { ...window(range), ...(pattern ? { pattern } : {}) },
          },
        }),
      ),
    placeholderData: keepPreviousData,
  })

export const topQueriesQuery = (
  id: string,
  source: QuerySource,
  q: string,
  range: Range,
  order: Order<QueryOrder>,
) =>
  queryOptions({
    queryKey: keys.of(id, 'tables', 'queries', source, q, range, order),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/queries', {
          params: { path: { incident_id: id }, query: { source, q, ...window(range), ...order } },
        }),
      ),
    placeholderData: keepPreviousData,
  })

export const examplesQuery = (
  id: string,
  source: Exclude<QuerySource, 'query_digest'>,
  query: string,
  range: Range,
) =>
  queryOptions({
    queryKey: keys.of(id, 'tables', 'examples', source, query, range),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/queries/examples', {
          params: { path: { incident_id: id }, query: { source, query, ...window(range) } },
        }),
      ),
  })

type LogFilter = {
  readonly severity: readonly string[]
  readonly q: string
  readonly group: string
}

export const logParameters = ({ severity, q, group }: LogFilter, range: Range) => ({
  ...(severity.length ? { severity: [...severity] } : {}),
  ...(q ? { q } : {}),
  ...(group ? { group } : {}),
  ...window(range),
})

export const logQuery = (
  id: string,
  filter: LogFilter,
  range: Range,
  order: Order<EventOrder>,
  page: number,
) =>
  queryOptions({
    queryKey: keys.of(id, 'tables', 'log', filter, range, order, page),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/log', {
          params: {
            path: { incident_id: id },
            query: {
              ...logParameters(filter, range),
              ...order,
              offset: page * PAGE_ROWS,
              limit: PAGE_ROWS,
            },
          },
        }),
      ),
    placeholderData: keepPreviousData,
  })

export const logGroupsQuery = (
  id: string,
  filter: LogFilter,
  range: Range,
  order: Order<GroupOrder>,
) =>
  queryOptions({
    queryKey: keys.of(id, 'tables', 'logGroups', filter, range, order),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/log/groups', {
          params: {
            path: { incident_id: id },
            query: { ...logParameters({ ...filter, group: '' }, range), ...order },
          },
        }),
      ),
    placeholderData: keepPreviousData,
  })

export const tablesQuery = (id: string) =>
  queryOptions({
    queryKey: keys.of(id, 'artifacts', 'tables'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/tables', {
          params: { path: { incident_id: id } },
        }),
      ),
  })
