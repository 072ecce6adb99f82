import { afterEach, describe, expect, it, vi } from 'vitest'
import { fetchOrTake } from './early'

const URL = 'http://localhost/api/v1/session'
const answer = (text: string, status = 200) => Promise.resolve(new Response(text, { status }))
const taken = async () => (await fetchOrTake(new Request(URL))).text()

afterEach(() => {
  globalThis.pileupEarly = undefined
  vi.restoreAllMocks()
})

describe('early answers', () => {
  it.each([
    ['one that is there, once', () => answer('early'), 0, ['early', 'late']],
    ['none that failed', () => answer('no session', 401), 0, ['late', 'late']],
    ['none without a connection', () => Promise.reject(new Error('away')), 0, ['late', 'late']],
    ['none that is old', () => answer('early'), 10_001, ['late', 'late']],
  ])('are taken: %s', async (_, early, now, expected) => {
    vi.spyOn(globalThis, 'fetch').mockImplementation(() => answer('late'))
    vi.spyOn(performance, 'now').mockReturnValue(now)
    globalThis.pileupEarly = new Map([[URL, early()]])
    expect([await taken(), await taken()]).toEqual(expected)
  })
})
