/**
 * Presence of people on an incident. This tab reports its address when it changes and every ten seconds;
 * others come from the event stream and are dropped after some thirty seconds of silence.
 */
import { useEffect } from 'react'
import { api } from '@/api/client'
import { onLive, type Peer } from '@/api/events'
import { Store, useStore } from '@/state/store'

type Cursor = NonNullable<Peer['cursor']>

const BEAT_MS = 10_000
const GONE_MS = 25_000
const GATHER_MS = 150

const KEPT = 'pileup.tab'

/** Id of this tab, the same after a reload: the server may not know yet that the page before left. */
const TAB = takeKept() ?? crypto.randomUUID()

type Place = { readonly incidentId: string; readonly address: string }

let place: Place | null = null
let cursor: { readonly text: string; readonly cursor: Cursor } | null = null
const leading = new Store(false)
let gather: ReturnType<typeof setTimeout> | undefined
const peers = new Store<readonly (Peer & { readonly seen: number })[]>([])

/** Set the caret position of this tab; null outside of any text. */
export function setCursor(text: string, at: Cursor | null): void {
  if (!at && cursor?.text !== text) return
  cursor = at && { text, cursor: at }
  soon()
}

/** Invite the others to follow this tab, or end it. */
export function setLeading(on: boolean): void {
  leading.set(on)
  soon()
}

export function usePeers(): readonly Peer[] {
  return useStore(peers)
}

export function useLeading(): boolean {
  return useStore(leading)
}

/** Call `listener` when somebody joins, moves or leaves. */
export const subscribe = peers.subscribe

export const currentPeers = (): readonly Peer[] => peers.get()

/** Report this tab as present on an incident while mounted; used once, in its layout.
 * quiet: watch the others without a report, as guests do. */
export function usePresence(incidentId: string, address: string, quiet: boolean): void {
  useEffect(() => {
    place = quiet ? null : { incidentId, address }
    soon()
  }, [incidentId, address, quiet])
  useEffect(() => {
    const stop = onLive((incident, live) => {
      if (incident !== incidentId) return
      if (live.name === 'presence') heard(live.here)
      else if (live.name === 'open') soon()
    })
    const beat = setInterval(() => {
      const since = Date.now() - GONE_MS
      const known = peers.get()
      const here = known.filter((peer) => peer.seen >= since)
      if (here.length < known.length) peers.set(here)
      if (document.visibilityState === 'visible') say()
    }, BEAT_MS)
    const leave = () => say(true)
    const hide = () => {
      sessionStorage.setItem(KEPT, TAB)
      leave()
    }
    window.addEventListener('pagehide', hide)
    window.addEventListener('pageshow', takeKept)
    return () => {
      stop()
      clearInterval(beat)
      window.removeEventListener('pagehide', hide)
      window.removeEventListener('pageshow', takeKept)
      leave()
      place = null
      peers.set([])
    }
  }, [incidentId])
}

/** Return the id that the page before left. It stays only while no page is open: a copy of the tab has another. */
function takeKept(): string | null {
  const kept = sessionStorage.getItem(KEPT)
  sessionStorage.removeItem(KEPT)
  return kept
}

function heard(here: readonly Peer[]): void {
  const seen = Date.now()
  const arrived = new Map(here.map((peer) => [peer.tab, { ...peer, seen }]))
  const rest = peers.get().filter((peer) => !arrived.has(peer.tab))
  const now = [...arrived.values()].filter((peer) => !peer.tab.endsWith(TAB) && !peer.left)
  peers.set([...rest, ...now].sort((a, b) => a.tab.localeCompare(b.tab)))
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
        follow: leading.get(),
        left,
      },
      keepalive: left,
    })
    .catch(() => undefined) // the server is unreachable: the next report repeats it
}

/** Return the initials of a name: 'AB' for 'Ada Byron'. */
export function initials(name: string): string {
  const words = name.trim().split(/\s+/)
  const letters = words.length > 1 ? [words[0], words.at(-1)] : [words[0]]
  return letters.map((word) => [...(word ?? '?')][0]?.toUpperCase() ?? '').join('') || '?'
}

const COLOURS = 7

/** Return the colour of a person, the same everywhere: a category of tokens.css. */
export function colourOf(userId: string): string {
  let sum = 0
  for (const letter of userId) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973
  return `var(--cat-${(sum % COLOURS) + 1})`
}
