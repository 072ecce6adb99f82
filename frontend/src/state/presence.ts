/**
 * Who is here. This tab says where it is when it moves and every ten seconds; others are known from
 * the event stream and forgotten after some thirty seconds of silence.
 */
import { useEffect, useSyncExternalStore } from 'react'
import { api } from '@/api/client'
import { onLive, type Peer } from '@/api/events'

export type Cursor = NonNullable<Peer['cursor']>

const BEAT_MS = 10_000
const GONE_MS = 25_000
const GATHER_MS = 150

/** This tab, to all others. */
export const TAB = crypto.randomUUID()

type Place = { readonly incidentId: string; readonly address: string }

let place: Place | null = null
let cursor: { readonly text: string; readonly cursor: Cursor } | null = null
let leading = false
let gather: ReturnType<typeof setTimeout> | undefined
let peers: readonly (Peer & { readonly seen: number })[] = []
const listeners = new Set<() => void>()

/** Where the caret of this tab is; null when it is in no text. */
export function setCursor(text: string, at: Cursor | null): void {
  if (!at && cursor?.text !== text) return
  cursor = at && { text, cursor: at }
  soon()
}

/** Invite the others to follow this tab, or end it. */
export function setLeading(on: boolean): void {
  leading = on
  soon()
  change(peers)
}

export function usePeers(): readonly Peer[] {
  return useSyncExternalStore(subscribe, () => peers)
}

export function useLeading(): boolean {
  return useSyncExternalStore(subscribe, () => leading)
}

/** Calls `listener` when somebody comes, moves or leaves. */
export function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const currentPeers = (): readonly Peer[] => peers

/** Keeps this tab present on an incident while mounted; once, in its layout. */
export function usePresence(incidentId: string, address: string): void {
  useEffect(() => {
    place = { incidentId, address }
    soon()
  }, [incidentId, address])
  useEffect(() => {
    const stop = onLive((incident, live) => {
      if (incident !== incidentId) return
      if (live.name === 'presence') heard(live.here)
      else if (live.name === 'open') soon()
    })
    const beat = setInterval(() => {
      const since = Date.now() - GONE_MS
      if (peers.some((peer) => peer.seen < since)) change(peers.filter((p) => p.seen >= since))
      if (document.visibilityState === 'visible') say()
    }, BEAT_MS)
    const leave = () => say(true)
    window.addEventListener('pagehide', leave)
    return () => {
      stop()
      clearInterval(beat)
      window.removeEventListener('pagehide', leave)
      leave()
      place = null
      change([])
    }
  }, [incidentId])
}

function heard(here: readonly Peer[]): void {
  const seen = Date.now()
  const told = new Map(here.map((peer) => [peer.tab, { ...peer, seen }]))
  const rest = peers.filter((peer) => !told.has(peer.tab))
  const now = [...told.values()].filter((peer) => peer.tab !== TAB && !peer.left)
  change([...rest, ...now].sort((a, b) => a.tab.localeCompare(b.tab)))
}

function change(next: typeof peers): void {
  peers = next
  for (const listener of listeners) listener()
}

function soon(): void {
  gather ??= setTimeout(() => {
    gather = undefined
    say()
  }, GATHER_MS)
}

function say(left = false): void {
  if (!place) return
  void api
    .POST('/api/v1/incidents/{incident_id}/presence', {
      params: { path: { incident_id: place.incidentId } },
      body: {
        tab: TAB,
        address: place.address.slice(0, 1800),
        text: cursor?.text ?? null,
        cursor: cursor?.cursor ?? null,
        follow: leading,
        left,
      },
      keepalive: left,
    })
    .catch(() => undefined) // the server is away: the next beat tells
}

/** 'Ada Byron' as 'AB'. */
export function initials(name: string): string {
  const words = name.trim().split(/\s+/)
  const letters = words.length > 1 ? [words[0], words.at(-1)] : [words[0]]
  return letters.map((word) => [...(word ?? '?')][0]?.toUpperCase() ?? '').join('') || '?'
}

const COLOURS = 7

/** The same person has the same colour everywhere: one of the categories of tokens.css. */
export function colourOf(userId: string): string {
  let sum = 0
  for (const letter of userId) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973
  return `var(--cat-${(sum % COLOURS) + 1})`
}
