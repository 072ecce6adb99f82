/**
 * Keeps the latest documents in memory with their ETags, so that the server sends a document again only
 * when it has changed. Nothing is stored on disk: responses say `no-store`.
 */
import type { Middleware } from 'openapi-fetch'

const MOST_DOCUMENTS = 60
const MOST_CHARACTERS = 2_000_000

type Kept = { readonly tag: string; readonly text: string }

/** Return the middleware that asks with If-None-Match and answers a 304 from memory. */
export function unchangedDocuments(): Middleware {
  const kept = new Map<string, Kept>()
  return {
    onRequest({ request }) {
      const known = request.method === 'GET' ? kept.get(request.url) : undefined
      if (known) request.headers.set('If-None-Match', known.tag)
      return request
    },
    async onResponse({ request, response }) {
      if (request.method !== 'GET') return undefined
      const known = kept.get(request.url)
      if (response.status === 304 && known) {
        return new Response(known.text, {
          status: 200,
          headers: { 'Content-Type': 'application/json', ETag: known.tag },
        })
      }
      const tag = response.headers.get('ETag')
      kept.delete(request.url)
      if (response.status !== 200 || !tag) return undefined
      const text = await response.clone().text()
      if (text.length > MOST_CHARACTERS) return undefined
      kept.set(request.url, { tag, text })
      const [oldest] = kept.keys()
      if (kept.size > MOST_DOCUMENTS && oldest !== undefined) kept.delete(oldest)
      return undefined
    },
  }
}
