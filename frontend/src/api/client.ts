/**
 * The client, typed by the OpenAPI document. Cookie sessions send the CSRF token with every
 * mutation; problem documents become ApiProblem; a lost session leads to the sign-in page.
 */
import createClient, { type Middleware } from 'openapi-fetch'
import { fetchOrTake } from './early'
import { type ApiProblem, problemFrom } from './problem'
import type { paths } from './schema'
import { unchangedDocuments } from './unchanged'

export const CSRF_HEADER = 'X-CSRF-Token'

/** Return the CSRF token from its cookie (`__Host-pileup_csrf` over HTTPS), for requests that bypass `api`. */
export function csrfToken(): string {
  const match = /(?:^|;\s*)(?:__Host-)?pileup_csrf=([^;]*)/.exec(document.cookie)
  return match?.[1] ? decodeURIComponent(match[1]) : ''
}

/** Whether this browser may be signed in. The CSRF cookie comes and goes with the session's own, which scripts cannot read. */
export const mayHaveSession = () => csrfToken() !== ''

const csrf: Middleware = {
  onRequest({ request }) {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      request.headers.set(CSRF_HEADER, csrfToken())
    }
    return request
  },
}

/** Bytes of a write that outlives its page; browsers allow 64 KB of them at a time. */
const SMALL = 4096

/** A mark or a status that was set right before a reload, or before the tab closed, is saved too. */
const outlivesThePage: Middleware = {
  async onRequest({ request }) {
    if (request.method === 'GET' || request.method === 'HEAD') return request
    const { size } = await request.clone().blob()
    return size <= SMALL ? new Request(request, { keepalive: true }) : request
  },
}

export const api = createClient<paths>({
  baseUrl: typeof window === 'undefined' ? 'http://localhost' : window.location.origin,
  credentials: 'same-origin',
  fetch: fetchOrTake,
})
api.use(csrf)
api.use(outlivesThePage)
api.use(unchangedDocuments())

type Answer<T> = { data?: T; error?: unknown; response: Response }

/** Return the data of a response; throw an ApiProblem when the response is an error. */
export async function unwrap<T>(answer: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await answer
  if (!response.ok) throw lost(problemFrom(response.status, error))
  return data as T
}

/** Build the If-Match header for a write to a record with a revision. */
export function ifMatch(revision: number): { 'if-match': string } {
  return { 'if-match': `"${revision}"` }
}

/** Emits `lost` when the session has ended (a 401 anywhere but at sign-in). */
export const sessionLost = new EventTarget()

function lost(problem: ApiProblem): ApiProblem {
  if (problem.status === 401) sessionLost.dispatchEvent(new Event('lost'))
  return problem
}
