import { afterEach, describe, expect, it, vi } from 'vitest'
import { api, ifMatch, sessionLost, unwrap } from './client'
import { ApiProblem, asProblem } from './problem'

afterEach(() => vi.unstubAllGlobals())

function answer(status: number, body: unknown) {
  const fetch = vi.fn((_: Request) =>
    Promise.resolve(
      new Response(JSON.stringify(body), {
        status,
        headers: { 'Content-Type': 'application/problem+json' },
      }),
    ),
  )
  vi.stubGlobal('fetch', fetch)
  return fetch
}

const change = (title = 'x') =>
  unwrap(
    api.PATCH('/api/v1/incidents/{incident_id}', {
      params: { path: { incident_id: 'i' }, header: ifMatch(3) },
      body: { title },
    }),
  )

describe('the client', () => {
  it('sends the CSRF token and the revision with a write', async () => {
    document.cookie = 'pileup_csrf=abc%3D'
    const fetch = answer(200, { id: 'i' })
    await change()
    const request = fetch.mock.calls[0]?.[0]
    expect(request?.headers.get('X-CSRF-Token')).toBe('abc=')
    expect(request?.headers.get('If-Match')).toBe('"3"')
  })
  it('saves a small write also when the page is left, and sends a large one as it is', async () => {
    const fetch = answer(200, { id: 'i' })
    await change()
    await change('x'.repeat(70_000))
    const sent = fetch.mock.calls.map(([request]) => request)
    expect(sent.map((request) => request.keepalive)).toEqual([true, false])
    expect(await sent[0]?.json()).toEqual({ title: 'x' })
    expect(sent[0]?.headers.get('If-Match')).toBe('"3"')
  })
  it('makes a problem document an ApiProblem with what is current', async () => {
    answer(409, { title: 'Changed', detail: 'Bob was faster', current: { revision: 4 } })
    const problem = await change().catch((error: unknown) => error)
    expect(problem).toBeInstanceOf(ApiProblem)
    expect(asProblem(problem)).toMatchObject({
      status: 409,
      isConflict: true,
      detail: 'Bob was faster',
      current: { revision: 4 },
    })
  })
  it('says so once the session is gone', async () => {
    const lost = vi.fn()
    sessionLost.addEventListener('lost', lost, { once: true })
    answer(401, { title: 'Not signed in', detail: '' })
    await change().catch(() => undefined)
    expect(lost).toHaveBeenCalledOnce()
  })
  it('calls a broken way by its name', () =>
    expect(asProblem(new TypeError('Failed to fetch')).title).toBe('The server cannot be reached'))
})
