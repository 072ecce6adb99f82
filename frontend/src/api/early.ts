/** The answers that public/early.js requested before this program was here. */

declare global {
  var pileupEarly: Map<string, Promise<Response>> | undefined
}

/** An answer that nobody took by then is old. */
const FRESH_MS = 10_000

/** Take the early answer of a request once; fetch where there is none, it is old or it failed. */
export async function fetchOrTake(request: Request): Promise<Response> {
  const early = request.method === 'GET' ? globalThis.pileupEarly?.get(request.url) : undefined
  globalThis.pileupEarly?.delete(request.url)
  if (!early || performance.now() > FRESH_MS) return globalThis.fetch(request)
  const answer = await early.catch(() => null)
  return answer?.ok ? answer : globalThis.fetch(request)
}
