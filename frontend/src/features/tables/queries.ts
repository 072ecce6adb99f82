/** What the tabs of the tables ask: pages and sums, each with the range that all screens share. */
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

export const PAGE_ROWS = 200

export type SessionsAsked = {
  readonly artifact: string
  readonly snapshot: number
  readonly by: Processlist['by']
  /** Null: all groups; empty: the group without a key. */
  readonly group: string | null
  readonly idle: boolean
  readonly q: string
  readonly page: number
}

export const processlistQuery = (id: string, asked: SessionsAsked | null) =>
  queryOptions({
    queryKey: keys.of(id, 'tables', 'processlist', asked),
    queryFn: () => {
      const { group, page, ...rest } = asked ?? NOTHING
      return unwrap(
        api.GET('/api/v1/incidents/{incident_id}/processlist', {
          params: {
            path: { incident_id: id },
            query: {
              ...rest,
              ...(group === null ? {} : group === '' ? { none: true } : { group }),
              offset: page * PAGE_ROWS,
              limit: PAGE_ROWS,
            },
          },
        }),
      )
    },
    enabled: asked !== null,
    placeholderData: keepPreviousData,
  })

const NOTHING: SessionsAsked = {
  artifact: '',
  snapshot: 0,
  by: 'digest',
  group: null,
  idle: false,
  q: '',
  page: 0,
}

export const deadlocksQuery = (id: string, range: Range) =>
  queryOptions({
    queryKey: keys.of(id, 'tables', 'deadlocks', range),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/deadlocks', {
          params: { path: { incident_id: id }, query: window(range) },
        }),
      ),
    placeholderData: keepPreviousData,
  })

export const topQueriesQuery = (id: string, source: QuerySource, q: string, range: Range) =>
  queryOptions({
    queryKey: keys.of(id, 'tables', 'queries', source, q, range),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/queries', {
          params: { path: { incident_id: id }, query: { source, q, ...window(range) } },
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

export type LogAsked = {
  readonly severity: readonly string[]
  readonly q: string
  readonly group: string
}

const logAsked = ({ severity, q, group }: LogAsked, range: Range) => ({
  ...(severity.length ? { severity: [...severity] } : {}),
  ...(q ? { q } : {}),
  ...(group ? { group } : {}),
  ...window(range),
})

export const logQuery = (id: string, asked: LogAsked, range: Range, page: number) =>
  queryOptions({
    queryKey: keys.of(id, 'tables', 'log', asked, range, page),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/log', {
          params: {
            path: { incident_id: id },
            query: { ...logAsked(asked, range), offset: page * PAGE_ROWS, limit: PAGE_ROWS },
          },
        }),
      ),
    placeholderData: keepPreviousData,
  })

export const logGroupsQuery = (id: string, asked: LogAsked, range: Range) =>
  queryOptions({
    queryKey: keys.of(id, 'tables', 'logGroups', asked, range),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/log/groups', {
          params: {
            path: { incident_id: id },
            query: logAsked({ ...asked, group: '' }, range),
          },
        }),
      ),
    placeholderData: keepPreviousData,
  })
