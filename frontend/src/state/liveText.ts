/**
 * A text that several people edit at once: a Yjs document that sends local edits and applies remote
 * ones. Typing needs no server: unsent edits wait in this browser.
 */
import * as Y from 'yjs'
import { onLive } from '@/api/events'
import { api, unwrap } from '@/api/client'
import { ApiProblem } from '@/api/problem'
import { Store } from './store'
import { decode, draftKey, draftsOf, dropDraft, encode, keepDraft, openHere } from './textDrafts'

export type Saved =
  | { readonly state: 'loading' | 'saved' | 'saving' | 'offline' }
  /** The server refused the text; the edits stay in this browser. */
  | { readonly state: 'refused'; readonly problem: ApiProblem }

/** Origin of changes that came from the server. */
const SERVER = 'server'
const SEND_AFTER_MS = 120
const AGAIN_MS = [500, 1000, 2000, 4000] as const
const NOTHING_LEFT = 2 // bytes of an empty update

export class LiveText {
  readonly doc = new Y.Doc()
  readonly text = this.doc.getText('text')
  private seq = 0
  private wanted = 0
  private loaded = false
  private fetching = false
  /** Whether remote edits may have been missed. */
  private stale = false
  private failures = 0
  private restarted = false
  private unsent: Uint8Array | null = null
  private onItsWay: Uint8Array | null = null
  private timer: ReturnType<typeof setTimeout> | undefined
  readonly saved = new Store<Saved>({ state: 'loading' })
  private readonly storage: string
  private readonly path: { readonly incident_id: string; readonly key: string }
  private readonly stopListening: () => void

  constructor(incidentId: string, key: string) {
    this.path = { incident_id: incidentId, key }
    this.storage = draftKey(incidentId, key, this.doc.clientID)
    this.doc.on('update', (update: Uint8Array, origin: unknown) => {
      if (origin !== SERVER) this.changed(update)
    })
    this.stopListening = onLive((incident, live) => {
      if (incident !== incidentId) return
      if (live.name === 'open') void this.again()
      else if (live.name === 'text' && live.key === key) {
        this.wanted = Math.max(this.wanted, live.seq)
        void this.fetch()
      }
    })
    void this.load()
  }

  /** Whether the server has stored every local edit. */
  get idle(): boolean {
    return this.unsent === null && this.onItsWay === null
  }

  close(): void {
    clearTimeout(this.timer)
    this.stopListening()
    this.doc.destroy()
  }

  private async load(): Promise<void> {
    try {
      const whole = await unwrap(
        api.GET('/api/v1/incidents/{incident_id}/texts/{key}', { params: { path: this.path } }),
      )
      const state = decode(whole.state)
      Y.applyUpdate(this.doc, state, SERVER)
      this.seq = whole.seq
      if (this.restarted) {
        // The server lost edits (a backup was restored): send the whole document.
        const missing = Y.encodeStateAsUpdate(this.doc, Y.encodeStateVectorFromUpdate(state))
        if (missing.length > NOTHING_LEFT) this.unsent = missing
      }
      this.loaded = true
      this.takeDrafts()
      this.settle()
      void this.send()
    } catch (error) {
      this.failed(error, () => void this.load())
    }
  }

  /** Adopt the drafts that a closed tab left behind. */
  private takeDrafts(): void {
    const others = draftsOf(this.path.incident_id, this.path.key).filter(
      ({ storage }) => storage !== this.storage,
    )
    for (const { storage, update } of others) {
      try {
        Y.applyUpdate(this.doc, decode(update), 'draft')
        dropDraft(storage)
      } catch {
        // Not a valid draft: ignore it.
      }
    }
  }

  private changed(update: Uint8Array): void {
    this.unsent = this.unsent ? Y.mergeUpdates([this.unsent, update]) : update
    this.keep()
    const { state } = this.saved.get()
    if (state !== 'offline' && state !== 'refused') {
      this.saved.set({ state: this.loaded ? 'saving' : 'loading' })
    }
    if (this.saved.get().state === 'saving' && !this.onItsWay) this.later(SEND_AFTER_MS)
  }

  private async send(): Promise<void> {
    if (!this.loaded || this.onItsWay || !this.unsent) return
    const sending = this.unsent
    this.onItsWay = sending
    this.unsent = null
    try {
      const { seq } = await unwrap(
        api.POST('/api/v1/incidents/{incident_id}/texts/{key}/updates', {
          params: { path: this.path },
          body: { update: encode(sending) },
        }),
      )
      this.onItsWay = null
      this.failures = 0
      this.restarted = false
      if (seq === this.seq + 1) this.seq = seq
      this.wanted = Math.max(this.wanted, seq)
      this.keep()
      this.settle()
      if (this.unsent) this.later(SEND_AFTER_MS)
      void this.fetch()
    } catch (error) {
      this.unsent = this.unsent ? Y.mergeUpdates([sending, this.unsent]) : sending
      this.onItsWay = null
      const unknown = error instanceof ApiProblem && (error.status === 422 || error.status === 404)
      if (unknown && !this.restarted) {
        this.restarted = true
        void this.load()
      } else this.failed(error, () => void this.send())
    }
  }

  private async fetch(): Promise<void> {
    if (!this.loaded || this.fetching || this.onItsWay) return
    if (!this.stale && this.wanted <= this.seq) return
    this.fetching = true
    this.stale = false
    try {
      const answer = await unwrap(
        api.GET('/api/v1/incidents/{incident_id}/texts/{key}/updates', {
          params: { path: this.path, query: { after: this.seq } },
        }),
      )
      for (const update of answer.updates) Y.applyUpdate(this.doc, decode(update), SERVER)
      this.seq = Math.max(this.seq, answer.seq)
      this.fetching = false
      if (this.saved.get().state === 'offline') this.settle()
      void this.fetch()
    } catch (error) {
      this.fetching = false
      this.stale = true
      if (!(error instanceof ApiProblem)) this.failed(error, () => void this.again())
    }
  }

  /** Send waiting edits and fetch missed ones after the connection is restored. */
  private async again(): Promise<void> {
    if (!this.loaded) return
    clearTimeout(this.timer)
    this.failures = 0
    this.stale = true
    await this.send()
    await this.fetch()
  }

  private failed(error: unknown, retry: () => void): void {
    const refused = error instanceof ApiProblem && error.status >= 400 && error.status < 500
    if (refused) {
      this.saved.set({ state: 'refused', problem: error })
      return
    }
    this.saved.set({ state: this.loaded ? 'offline' : 'loading' })
    clearTimeout(this.timer)
    this.timer = setTimeout(retry, AGAIN_MS[Math.min(this.failures, AGAIN_MS.length - 1)])
    this.failures += 1
  }

  private later(ms: number): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => void this.send(), ms)
  }

  private keep(): void {
    const all = [this.onItsWay, this.unsent].filter((array) => array !== null)
    if (all.length) keepDraft(this.storage, Y.mergeUpdates(all))
    else dropDraft(this.storage)
  }

  private settle(): void {
    this.saved.set({ state: this.idle ? 'saved' : 'saving' })
  }
}

type Held = { readonly live: LiveText; holders: number }
const held = new Map<string, Held>()

/** Return the open text; null when no component of this tab holds it. */
export function heldText(incidentId: string, key: string): LiveText | null {
  return held.get(`${incidentId}|${key}`)?.live ?? null
}

/** Open the text, shared by every component that shows it; call `releaseText` at the end. */
export function holdText(incidentId: string, key: string): void {
  const id = `${incidentId}|${key}`
  const found = held.get(id) ?? { live: new LiveText(incidentId, key), holders: 0 }
  found.holders += 1
  held.set(id, found)
  openHere.add(id)
}

/** Release the text; it closes when no component shows it and every edit is stored. */
export function releaseText(incidentId: string, key: string): void {
  const id = `${incidentId}|${key}`
  const found = held.get(id)
  if (!found) return
  found.holders -= 1
  const closeIfDone = () => {
    if (found.holders > 0 || !found.live.idle || held.get(id) !== found) return
    held.delete(id)
    openHere.delete(id)
    found.live.close()
  }
  const stop = found.live.saved.subscribe(() => {
    if (found.holders > 0 || held.get(id) !== found) stop()
    else closeIfDone()
  })
  closeIfDone()
}
