/** Queries of the wait graph: the moments, the graph at one, how long nodes last, one node. */
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import { isAnalysed, overviewQuery } from '@/api/queries'
import { list, oneOf, readUrl, text, type UrlKey } from '@/state/url'
import { completeGraph, completeNode } from './defaults'

export const momentsQuery = (id: string) =>
  queryOptions({
    queryKey: keys.of(id, 'waits', 'moments'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/waits/moments', {
          params: { path: { incident_id: id } },
        }),
      ),
    staleTime: 60_000,
  })

type Fold = 'auto' | 'all' | 'none'

type GraphRequest = {
  readonly at: string
  /** The other moment of a difference; empty: none. */
  readonly against: string
  readonly fold: Fold
  readonly opened: readonly string[]
  readonly find: string
}

/** The request that the address describes. */
export const REQUEST_IN_URL: { readonly [K in keyof GraphRequest]: UrlKey<GraphRequest[K]> } = {
  at: ['at', text, 'worst'],
  against: ['vs', text, ''],
  fold: ['fold', oneOf<Fold>(['auto', 'all', 'none']), 'auto'],
  opened: ['open', list, []],
  find: ['find', text, ''],
}

/** Start the request while the screen's code and the session are still on their way. */
export function askAhead(client: QueryClient, id: string, address: URLSearchParams): void {
  const request = {
    at: readUrl(address, REQUEST_IN_URL.at),
    against: readUrl(address, REQUEST_IN_URL.against),
    fold: readUrl(address, REQUEST_IN_URL.fold),
    opened: readUrl(address, REQUEST_IN_URL.opened),
    find: readUrl(address, REQUEST_IN_URL.find),
  }
  void client.prefetchQuery(momentsQuery(id))
  void askGraph(client, id, request)
}

/** Request the graph as soon as it is known that there is an analysis. */
async function askGraph(client: QueryClient, id: string, request: GraphRequest): Promise<void> {
  const known = client.fetchQuery({ ...overviewQuery(id), staleTime: 60_000 })
  const overview = await known.catch(() => null)
  if (overview && isAnalysed(overview)) await client.prefetchQuery(graphQuery(id, request))
}

const wordsOf = ({ at, against, fold, opened, find }: GraphRequest) => ({
  at,
  fold,
  ...(against ? { against } : {}),
  ...(find ? { find } : {}),
  ...(opened.length ? { open: [...opened] } : {}),
})

const keyOf = ({ at, against, fold, opened, find }: GraphRequest) => [
  ...[at, against, fold, opened, find],
]

export const graphQuery = (id: string, request: GraphRequest) =>
  queryOptions({
    queryKey: keys.of(id, 'waits', 'graph', ...keyOf(request)),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/waits', {
          params: { path: { incident_id: id }, query: wordsOf(request) },
        }),
      ),
    select: completeGraph,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  })

/** How long the shown nodes of a graph last. */
export const persistenceQuery = (id: string, request: GraphRequest) =>
  queryOptions({
    queryKey: keys.of(id, 'waits', 'persistence', ...keyOf(request)),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/waits/persistence', {
          params: { path: { incident_id: id }, query: wordsOf(request) },
        }),
      ),
    placeholderData: keepPreviousData,
    staleTime: 300_000,
  })

/** against: the other moment of a difference, for one of its groups. */
export const nodeQuery = (id: string, at: string, node: string, against?: string) =>
  queryOptions({
    queryKey: keys.of(id, 'waits', 'node', at, node, against ?? ''),
    queryFn: async () => {
      const found = await unwrap(
        api.GET('/api/v1/incidents/{incident_id}/waits/node', {
          params: {
            path: { incident_id: id },
            query: { at, node, ...(against ? { against } : {}) },
          },
        }),
      )
      return { ...found, node: completeNode(found.node) }
    },
    staleTime: 60_000,
    retry: false,
    // Through the moments of a playback one node stays in sight.
    placeholderData: (before) => (before?.node.id === node ? before : undefined),
  })
