/** The tab to open on when the address names none: the first one that has rows. */
import { useQuery } from '@tanstack/react-query'
import { useIncidentId } from '@/state/incident'
import {
  deadlocksQuery,
  logGroupsQuery,
  momentsQuery,
  settingSourcesQuery,
  tablesQuery,
  topQueriesQuery,
} from './queries'

export const TABS = ['sessions', 'settings', 'deadlocks', 'queries', 'log', 'results'] as const
export type Tab = (typeof TABS)[number]

const EVERYTHING = { from: null, to: null }

/** Return the first tab with rows; sessions when none has any; null while that is not known. */
export function useFirstTab(enabled: boolean): Tab | null {
  const id = useIncidentId()
  // Each is what its tab reads anyway, and is read only while those before it are empty.
  const sessions = useQuery({ ...momentsQuery(id), enabled })
  const noSessions = enabled && sessions.data?.items.length === 0
  const settings = useQuery({ ...settingSourcesQuery(id), enabled: noSessions })
  const noSettings = noSessions && settings.data?.length === 0
  const deadlocks = useQuery({ ...deadlocksQuery(id, EVERYTHING, ''), enabled: noSettings })
  const noDeadlocks = noSettings && deadlocks.data?.items.length === 0
  const queries = useQuery({
    ...topQueriesQuery(id, 'query_digest', '', EVERYTHING, null),
    enabled: noDeadlocks,
  })
  const noQueries =
    noDeadlocks && Object.values(queries.data?.counts ?? { some: 1 }).every((count) => count === 0)
  const log = useQuery({
    ...logGroupsQuery(id, { severity: [], q: '', group: '' }, EVERYTHING, null),
    enabled: noQueries,
  })
  const noLog = noQueries && log.data?.items.length === 0
  const results = useQuery({ ...tablesQuery(id), enabled: noLog })
  const noResults = noLog && results.data?.items.length === 0
  const steps = [
    ['sessions', sessions, noSessions],
    ['settings', settings, noSettings],
    ['deadlocks', deadlocks, noDeadlocks],
    ['queries', queries, noQueries],
    ['log', log, noLog],
    ['results', results, noResults],
  ] as const
  for (const [tab, { isLoadingError, data }, empty] of steps) {
    if (isLoadingError) return 'sessions'
    if (data === undefined) return null
    if (!empty) return tab
  }
  return 'sessions'
}
