/**
 * Server-sent events that keep the query caches of an incident fresh. A new stream repeats the changes
 * of the last seconds; after each reconnection every query of the incident is fetched again. The windows
 * of an incident share one stream (stream.ts), and a hidden tab closes it.
 */
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Store, useStore } from '@/state/store'
import { DERIVED, keys, madeStaleBy } from './keys'
import { suspect } from './reach'
import { refetchChanged } from './refetch'
import type { Artifact, ArtifactItems, Status } from './schema'
import { followStream, type StreamEvent, type StreamMessage } from './stream'

export type Connection = 'none' | 'connecting' | 'open' | 'lost'

type Upload = {
  readonly id: string
  readonly state: 'receiving' | 'done' | 'cancelled'
  readonly path?: string
  readonly bytes?: number
  readonly received?: number
}

/** Events passed to listeners directly: typing in a text, presence, and a restored connection. */
type Live =
  | { readonly name: 'text'; readonly key: string; readonly seq: number }
  | { readonly name: 'presence'; readonly here: readonly Peer[] }
  | { readonly name: 'open' }

/** One browser tab of a user, as api/presence.py sends it. */
export type Peer = {
  /** The user's id, a dot, and what their browser made up for the tab. */
  readonly tab: string
  readonly user_id: string
  readonly name: string
  readonly address: string
  readonly text: string | null
  readonly cursor: { readonly anchor: string; readonly head: string } | null
  readonly follow: boolean
  readonly left: boolean
}

type LiveListener = (incidentId: string, live: Live) => void
const liveListeners = new Set<LiveListener>()

/** Call `listener` for every live event of the open incident; return the function that unsubscribes. */
export function onLive(listener: LiveListener): () => void {
  liveListeners.add(listener)
  return () => liveListeners.delete(listener)
}

function notifyLive(incidentId: string, live: Live) {
  for (const listener of liveListeners) listener(incidentId, live)
}

const HIDDEN_MS = 5000

/** Keep the caches of an incident fresh while mounted; used once, in the layout of the incident. */
export function useIncidentEvents(incidentId: string | null): void {
  const client = useQueryClient()
  useEffect(() => {
    if (incidentId === null) return
    let end: (() => void) | null = null
    let opened = false
    const receive = (message: StreamMessage) => {
      if (message.name === 'open') {
        if (opened) refetchChanged(client, keys.incident(incidentId))
        opened = true
        connection.set('open')
        notifyLive(incidentId, { name: 'open' })
      } else if (message.name === 'lost') {
        connection.set('lost')
        suspect()
      } else if (message.name === 'text' || message.name === 'presence') {
        const live = { name: message.name, ...(message.data as object) } as Live
        notifyLive(incidentId, live)
        if (live.name === 'text')
          refetchChanged(
            client,
            keys.of(incidentId, live.key.startsWith('report/') ? 'report' : 'texts'),
          )
      } else applyEvent(client, incidentId, message.name, message.data)
    }
    const close = () => {
      end?.()
      end = null
      connection.set('none')
    }
    const begin = () => {
      connection.set('connecting')
      end = followStream(`/api/v1/incidents/${incidentId}/events`, receive)
    }
    let hiding: ReturnType<typeof setTimeout> | undefined
    const onVisibility = () => {
      clearTimeout(hiding)
      if (document.hidden) hiding = setTimeout(close, HIDDEN_MS)
      else if (end === null) begin()
    }
    begin()
    onVisibility()
    document.addEventListener('visibilitychange', onVisibility)
    return () => {
      document.removeEventListener('visibilitychange', onVisibility)
      clearTimeout(hiding)
      close()
    }
  }, [client, incidentId])
}

/** Apply one server event to the query caches. */
export function applyEvent(
  client: QueryClient,
  incidentId: string,
  name: Exclude<StreamEvent, 'text' | 'presence'>,
  data: unknown,
): void {
  const invalidate = (...domains: Parameters<typeof keys.of>[1][]) => {
    for (const domain of domains) {
      refetchChanged(client, keys.of(incidentId, domain))
    }
  }
  if (name === 'artifact') {
    const artifact = data as Artifact
    client.setQueryData<ArtifactItems>(keys.of(incidentId, 'artifacts'), (list) =>
      list ? { ...list, items: placed(list.items, artifact) } : list,
    )
    refetchChanged(client, keys.artifact(artifact.id, 'detail'))
    // Lines and records that were requested before the file was parsed.
    void client.invalidateQueries({
      queryKey: keys.artifact(artifact.id),
      predicate: ({ state }) => state.status === 'error',
    })
    invalidate('overview')
  } else if (name === 'upload') {
    const upload = data as Upload
    invalidate('uploads')
    if (upload.state === 'done') invalidate('artifacts')
  } else if (name === 'analysis') {
    const { state } = data as { state: string }
    if (state === 'done' || state === 'failed') invalidate(...DERIVED)
    else invalidate('overview')
    refetchChanged(client, keys.status)
  } else if (name === 'worker') {
    const { alive } = data as { alive: boolean }
    workerSeen(client, alive)
  } else {
    const { what } = data as { what: string }
    if (what === 'everything') {
      refetchChanged(client, keys.incident(incidentId))
      notifyLive(incidentId, { name: 'open' })
    } else if (what === 'incident') invalidate('self', 'overview')
    else if (what === 'annotations') invalidate('annotations', 'marks')
    else {
      for (const domain of madeStaleBy(what))
        refetchChanged(client, ['incident', incidentId, domain])
    }
    invalidate('activity')
  }
}

/** Refetch the status when it disagrees about the worker; each stream starts with a worker event. */
function workerSeen(client: QueryClient, alive: boolean) {
  const check = () => {
    const known = client.getQueryData<Status>(keys.status)
    if (known && known.worker.alive !== alive) refetchChanged(client, keys.status)
  }
  const query = client.getQueryCache().find({ queryKey: keys.status, fetchStatus: 'fetching' })
  if (query?.promise) void query.promise.then(check, check)
  else check()
}

/** Return the state of the event stream, for the status line. */
export function useConnection(): Connection {
  return useStore(connection)
}

const connection = new Store<Connection>('none')

function placed(items: readonly Artifact[], artifact: Artifact): Artifact[] {
  const at = items.findIndex((item) => item.id === artifact.id)
  return at < 0 ? [...items, artifact] : items.with(at, artifact)
}
