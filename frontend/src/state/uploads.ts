/**
 * The upload queue of this page: resumable (tus 1.0), four at a time. It lives outside of the screens, so
 * that leaving the artifacts does not stop it. The server lists uploads that a reload interrupted as
 * unfinished; choosing the file again continues them.
 */
import type { DetailedError, Upload } from 'tus-js-client'
import { CSRF_HEADER, csrfToken } from '@/api/client'
import { problemFrom } from '@/api/problem'
import { whenReached } from '@/api/reach'
import { Store, useStore } from '@/state/store'
import type { Given } from './given'
import { setUploadsUnderWay } from './uploadsUnderWay'

export type PathFile = {
  readonly file: File
  readonly path: string
  /** Time and host that a person gave. */
  readonly given?: Given | null
}

export type UploadItem = {
  readonly key: string
  readonly incidentId: string
  readonly path: string
  readonly bytes: number
  readonly sent: number
  readonly state: 'waiting' | 'sending' | 'done' | 'failed'
  readonly error: string | null
  /** Id on the server, once it has one. */
  readonly uploadId: string | null
  readonly given: Given | null
}

/** An incomplete upload that the server knows. */
type Unfinished = { readonly id: string; readonly path: string; readonly bytes: number }

const AT_ONCE = 4
const CHUNK_BYTES = 16 * 1024 * 1024
const RETRY_MS = [0, 1000, 3000, 8000]

const items = new Store<readonly UploadItem[]>([])
const files = new Map<string, File>()
/** Uploads under way; null while the library is loaded, with the first upload of the page. */
const running = new Map<string, Upload | null>()
let counter = 0

/** Queue files; a file that matches an unfinished upload (path and size) continues it. */
export function enqueueUploads(
  incidentId: string,
  chosen: readonly PathFile[],
  unfinished: readonly Unfinished[] = [],
): void {
  const open = new Set(
    items
      .get()
      .filter((item) => item.state !== 'failed')
      .map((item) => item.uploadId),
  )
  const added = chosen.map(({ file, path, given = null }): UploadItem => {
    const key = `upload-${(counter += 1)}`
    files.set(key, file)
    const match = matchUnfinished(path, file.size, unfinished, open)
    if (match) open.add(match.id)
    return {
      key,
      incidentId,
      path: match?.path ?? path,
      bytes: file.size,
      sent: 0,
      state: 'waiting',
      error: null,
      uploadId: match?.id ?? null,
      given,
    }
  })
  publish([...items.get(), ...added])
  pump()
}

/** Find the unfinished upload with the same size and path, or name where no folder was chosen. */
export function matchUnfinished(
  path: string,
  bytes: number,
  unfinished: readonly Unfinished[],
  taken: ReadonlySet<string | null> = new Set(),
): Unfinished | undefined {
  const sized = unfinished.filter((item) => item.bytes === bytes && !taken.has(item.id))
  const name = path.split('/').at(-1)
  return (
    sized.find((item) => item.path === path) ??
    sized.find((item) => item.path.split('/').at(-1) === name)
  )
}

/** Retry a failed upload from the last byte that the server has. */
export function retryUpload(key: string): void {
  patch(key, { state: 'waiting', error: null })
  pump()
}

/** Cancel an upload here and on the server. */
export function cancelUpload(key: string): void {
  const upload = running.get(key)
  running.delete(key)
  files.delete(key)
  publish(items.get().filter((item) => item.key !== key))
  void upload?.abort(true).catch(() => undefined)
  pump()
}

/** Remove finished uploads from the list. */
export function forgetDone(incidentId: string): void {
  publish(items.get().filter((item) => item.incidentId !== incidentId || item.state !== 'done'))
}

/** Return the uploads of this page into an incident. */
export function useUploads(incidentId: string): readonly UploadItem[] {
  return useStore(items).filter((item) => item.incidentId === incidentId)
}

type UploadTotals = {
  readonly files: number
  readonly done: number
  readonly failed: number
  readonly bytes: number
  readonly sent: number
  readonly active: boolean
}

/** Sum the uploads for one progress line. */
export function uploadTotals(list: readonly UploadItem[]): UploadTotals {
  const count = (state: UploadItem['state']) => list.filter((item) => item.state === state).length
  const bytes = list.reduce((sum, item) => sum + item.bytes, 0)
  const sent = list.reduce((sum, item) => sum + (item.state === 'done' ? item.bytes : item.sent), 0)
  const active = list.some((item) => item.state === 'waiting' || item.state === 'sending')
  return { files: list.length, done: count('done'), failed: count('failed'), bytes, sent, active }
}

function pump() {
  for (const item of items.get()) {
    if (running.size >= AT_ONCE) return
    if (item.state === 'waiting' && !running.has(item.key)) void begin(item)
  }
}

async function begin(item: UploadItem) {
  const file = files.get(item.key)
  if (!file) return
  running.set(item.key, null)
  patch(item.key, { state: 'sending' })
  const tus = await import('tus-js-client').catch(() => null)
  if (!running.has(item.key)) return // cancelled meanwhile
  if (!tus) return settle(item.key, { state: 'failed', error: 'connection lost; retry the upload' })
  const origin = window.location.origin
  const upload = new tus.Upload(file, {
    endpoint: `${origin}/api/v1/incidents/${item.incidentId}/uploads`,
    uploadUrl: item.uploadId ? `${origin}/api/v1/uploads/${item.uploadId}` : null,
    chunkSize: CHUNK_BYTES,
    retryDelays: RETRY_MS,
    storeFingerprintForResuming: false, // the server knows the unfinished uploads, not this browser
    metadata: { filename: file.name, path: item.path, ...metadataOf(item.given) },
    onBeforeRequest: (request) => request.setHeader(CSRF_HEADER, csrfToken()),
    onProgress: (sent) => patch(item.key, { sent }),
    onUploadUrlAvailable: () =>
      patch(item.key, { uploadId: upload.url?.split('/').at(-1) ?? null }),
    onSuccess: () => settle(item.key, { state: 'done', sent: item.bytes }),
    onError: (error) => {
      settle(item.key, { state: 'failed', error: words(error) })
      if (isBroken(error)) whenReached(() => goOn(item.key))
    },
  })
  running.set(item.key, upload)
  upload.start()
}

function metadataOf(given: Given | null): Record<string, string> {
  const entries = Object.entries(given ?? {}).filter(([, value]) => value !== null)
  return Object.fromEntries(entries.map(([key, value]) => [key, String(value)]))
}

function settle(key: string, change: Partial<UploadItem>) {
  running.delete(key)
  if (change.state === 'done') files.delete(key)
  patch(key, change)
  pump()
}

/** Return whether the connection failed, rather than the server refused the upload. */
function isBroken(error: Error | DetailedError): boolean {
  const response = responseOf(error)
  return !response || [502, 503, 504].includes(response.getStatus())
}

function goOn(key: string) {
  if (items.get().some((item) => item.key === key && item.state === 'failed')) retryUpload(key)
}

const responseOf = (error: Error | DetailedError) =>
  'originalResponse' in error ? error.originalResponse : null

function words(error: Error | DetailedError): string {
  const response = responseOf(error)
  if (response) {
    try {
      const problem = problemFrom(response.getStatus(), JSON.parse(response.getBody()))
      return problem.detail || problem.title
    } catch {
      return `the server responded ${response.getStatus()}`
    }
  }
  return 'connection lost; the upload continues when the server responds'
}

function patch(key: string, change: Partial<UploadItem>) {
  publish(items.get().map((item) => (item.key === key ? { ...item, ...change } : item)))
}

function publish(next: readonly UploadItem[]) {
  setUploadsUnderWay(next.filter((item) => item.state !== 'done' && files.has(item.key)).length)
  items.set(next)
}
