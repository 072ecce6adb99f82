/**
 * Edits that the server has not stored yet, kept in this browser: one entry per tab and text, a Yjs
 * update in base64. They survive a crash of the tab and a restart of the server; the next visit to the
 * incident in this browser sends them.
 */
import { api } from '@/api/client'

const PREFIX = 'pileup.text'

export const draftKey = (incidentId: string, key: string, tab: string | number) =>
  `${PREFIX}|${incidentId}|${key}|${tab}`

export function keepDraft(storage: string, update: Uint8Array): void {
  try {
    localStorage.setItem(storage, encode(update))
  } catch {
    // Storage is full or unavailable: the editor still has the text and sends it when the server responds.
  }
}

export function dropDraft(storage: string): void {
  localStorage.removeItem(storage)
}

/** List the drafts of a text or of an incident: storage key, text key, update. */
export function draftsOf(incidentId: string, key?: string) {
  const start = `${PREFIX}|${incidentId}|${key === undefined ? '' : `${key}|`}`
  return Object.keys(localStorage)
    .filter((storage) => storage.startsWith(start))
    .map((storage) => ({
      storage,
      key: storage.split('|')[2] ?? '',
      update: localStorage.getItem(storage) ?? '',
    }))
}

/** Incident and key of the texts open in this tab, which send their own edits. */
export const openHere = new Set<string>()

/** Send the drafts of closed tabs; a refused draft stays, so that the editor can show the error. */
export async function sendDrafts(incidentId: string): Promise<void> {
  for (const draft of draftsOf(incidentId)) {
    if (openHere.has(`${incidentId}|${draft.key}`)) continue
    try {
      const { response } = await api.POST('/api/v1/incidents/{incident_id}/texts/{key}/updates', {
        params: { path: { incident_id: incidentId, key: draft.key } },
        body: { update: draft.update },
      })
      if (response.ok && localStorage.getItem(draft.storage) === draft.update) {
        dropDraft(draft.storage)
      }
    } catch {
      return // the server is unreachable: retried later
    }
  }
}

const CHUNK = 0x8000

export function encode(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += CHUNK) {
    text += String.fromCharCode(...bytes.subarray(at, at + CHUNK))
  }
  return btoa(text)
}

export function decode(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
}
