/**
 * Refetches what the server reports as changed: at once, then at most once per GAP_MS and key. A bundle
 * that is being parsed, an analysis and typing report hundreds of changes, most within a few seconds.
 */
import {
  isCancelledError,
  type Query,
  type QueryClient,
  type QueryKey,
} from '@tanstack/react-query'

export const GAP_MS = 2000

type Gap = { again: boolean }
const gaps = new WeakMap<QueryClient, Map<string, Gap>>()

/** Refetch the matching queries now, or when the gap after the previous refetch of the key is over. */
export function refetchChanged(client: QueryClient, queryKey: QueryKey): void {
  const open = gaps.get(client) ?? new Map<string, Gap>()
  gaps.set(client, open)
  const name = JSON.stringify(queryKey)
  const gap = open.get(name)
  if (gap) {
    gap.again = true
    return
  }
  const begun: Gap = { again: false }
  open.set(name, begun)
  setTimeout(() => {
    open.delete(name)
    if (begun.again) refetchChanged(client, queryKey)
  }, GAP_MS)
  refetchNow(client, queryKey)
}

/**
 * Refetch the matching queries. A response on its way may predate the change: such a query is fetched
 * once more when it settles, and never twice at a time, however slow the server is.
 */
function refetchNow(client: QueryClient, queryKey: QueryKey) {
  const underway = (query: Query) => query.state.fetchStatus === 'fetching'
  for (const query of client.getQueryCache().findAll({ queryKey, predicate: underway }))
    refetchWhenSettled(client, query)
  void client.invalidateQueries({ queryKey, predicate: (query) => !underway(query) })
}

const followed = new WeakSet<Promise<unknown>>()

function refetchWhenSettled(client: QueryClient, query: Query) {
  const { promise } = query
  if (!promise || followed.has(promise)) return
  followed.add(promise)
  const again = () => void client.invalidateQueries({ queryKey: query.queryKey, exact: true })
  promise.then(again, (error: unknown) => {
    // Whoever cancels a fetch, such as an optimistic write, fetches again.
    if (!isCancelledError(error)) again()
  })
}
