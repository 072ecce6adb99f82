/**
 * The client, typed by the OpenAPI document. Cookie sessions send the CSRF token with every
 * mutation; problem documents become ApiProblem; a lost session sends the person to sign in.
 */
import createClient, { type Middleware } from 'openapi-fetch'
import { type ApiProblem, problemFrom } from './problem'
import type { paths } from './schema'

export const CSRF_HEADER = 'X-CSRF-Token'

/** The token of the cookie `pileup_csrf`, for requests that do not go through `api`. */
export function csrfToken(): string {
  const match = /(?:^|;\s*)pileup_csrf=([^;]*)/.exec(document.cookie)
  return match?.[1] ? decodeURIComponent(match[1]) : ''
}

const csrf: Middleware = {
  onRequest({ request }) {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      request.headers.set(CSRF_HEADER, csrfToken())
    }
    return request
  },
}

export const api = createClient<paths>({
  baseUrl: typeof window === 'undefined' ? 'http://localhost' : window.location.origin,
  credentials: 'same-origin',
  // Looked up at each call so that a test can put its own in place.
  fetch: (request) => globalThis.fetch(request),
})
api.use(csrf)

type Answer<T> = { data?: T; error?: unknown; response: Response }

/** The data of an answer, or the ApiProblem that it is. */
export async function unwrap<T>(answer: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await answer
  if (!response.ok) throw lost(problemFrom(response.status, error))
  return data as T
}

/** If-Match for a write to a thing with a revision. */
export function ifMatch(revision: number): { 'if-match': string } {
  return { 'if-match': `"${revision}"` }
}

/** Told when the session is gone (401 anywhere but at sign-in). */
export const sessionLost = new EventTarget()

function lost(problem: ApiProblem): ApiProblem {
  if (problem.status === 401) sessionLost.dispatchEvent(new Event('lost'))
  return problem
}
