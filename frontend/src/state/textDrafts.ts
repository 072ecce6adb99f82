/**
 * What was typed and not yet stored by the server, kept in this browser: one entry per tab and text,
 * a Yjs update in base64. It survives a crash of the tab and a restart of the server; whoever opens
 * the incident next in this browser sends it.
 */
import { api } from '@/api/client'

const PREFIX = 'pileup.text'

export const draftKey = (incidentId: string, key: string, tab: string | number) =>
  `${PREFIX}|${incidentId}|${key}|${tab}`

export function keepDraft(storage: string, update: Uint8Array): void {
  try {
    localStorage.setItem(storage, encode(update))
  } catch {
    // Storage is full or off: the text is still in the editor, and is sent when the server answers.
  }
}

export function dropDraft(storage: string): void {
  localStorage.removeItem(storage)
}

/** The drafts of a text, or of an incident: storage key, key of the text, update. */
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

/** Incident and key of the texts that are open in this tab: they send for themselves. */
export const openHere = new Set<string>()

/** Sends what an earlier tab could not; what the server refuses stays for the editor to tell. */
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
      return // the server is away: another time
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
