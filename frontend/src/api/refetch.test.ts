import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { GAP_MS, refetchChanged } from './refetch'

const KEY = ['incident', 'i1', 'overview']
let client: QueryClient
let fetches = 0
let respond: (() => void)[] = []

function observe(queryFn: () => Promise<string>) {
  return new QueryObserver(client, { queryKey: KEY, queryFn, retry: false }).subscribe(() => null)
}
const atOnce = () => Promise.resolve(String(++fetches))
const slowly = () =>
  new Promise<string>((resolve) => {
    fetches += 1
    respond.push(() => resolve(String(fetches)))
  })

beforeEach(() => {
  vi.useFakeTimers()
  client = new QueryClient()
  fetches = 0
  respond = []
})
afterEach(() => vi.useRealTimers())

it('refetches at once, and for all changes of the next seconds once more', async () => {
  const stop = observe(atOnce)
  await vi.advanceTimersByTimeAsync(1)
  for (let change = 0; change < 50; change += 1) refetchChanged(client, KEY)
  await vi.advanceTimersByTimeAsync(1)
  expect(fetches).toBe(2)
  await vi.advanceTimersByTimeAsync(GAP_MS)
  expect(fetches).toBe(3)
  await vi.advanceTimersByTimeAsync(GAP_MS * 3)
  expect(fetches).toBe(3)
  refetchChanged(client, KEY)
  await vi.advanceTimersByTimeAsync(1)
  expect(fetches).toBe(4)
  stop()
})

it('gives each key a gap of its own', async () => {
  const stop = observe(atOnce)
  await vi.advanceTimersByTimeAsync(1)
  refetchChanged(client, ['incident', 'i1', 'waits'])
  refetchChanged(client, KEY)
  await vi.advanceTimersByTimeAsync(1)
  expect(fetches).toBe(2)
  stop()
})

it('has one request under way, however slow the server is, and one after the last change', async () => {
  const stop = observe(slowly)
  for (let second = 0; second < 20; second += 1) {
    refetchChanged(client, KEY)
    await vi.advanceTimersByTimeAsync(1000)
  }
  expect(fetches).toBe(1)
  respond[0]?.()
  await vi.advanceTimersByTimeAsync(1)
  expect(fetches).toBe(2)
  respond[1]?.()
  await vi.advanceTimersByTimeAsync(GAP_MS)
  expect(client.getQueryData(KEY)).toBe('2')
  stop()
})

it('leaves a cancelled request to what cancelled it', async () => {
  const stop = observe(slowly)
  respond[0]?.()
  await vi.advanceTimersByTimeAsync(1)
  void client.invalidateQueries({ queryKey: KEY })
  refetchChanged(client, KEY)
  await client.cancelQueries({ queryKey: KEY })
  await vi.advanceTimersByTimeAsync(GAP_MS * 2)
  expect(fetches).toBe(2)
  stop()
})
