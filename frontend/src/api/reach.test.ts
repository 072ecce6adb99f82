import { act, renderHook } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { suspect, useAway, whenReached } from './reach'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))
const answering = (ok: () => boolean) =>
  vi.stubGlobal('fetch', () => (ok() ? Promise.resolve({ ok: true }) : Promise.reject(new Error())))

it('says nothing of a hiccup', async () => {
  answering(() => true)
  const { result } = renderHook(useAway)
  const then = vi.fn()
  whenReached(then)
  await pass(600)
  expect(result.current).toBeNull()
  expect(then).toHaveBeenCalledOnce()
})

it('tells since when the server is away, and for a moment that it is back', async () => {
  let up = false
  answering(() => up)
  const { result } = renderHook(useAway)
  const since = Date.now()
  const then = vi.fn()
  suspect()
  whenReached(then)
  await pass(600)
  expect(result.current).toEqual({ since, until: null })
  await pass(10_000)
  expect(result.current).toEqual({ since, until: null })
  expect(then).not.toHaveBeenCalled()
  up = true
  await pass(2000)
  expect(then).toHaveBeenCalledOnce()
  expect(result.current?.until).not.toBeNull()
  await pass(5000)
  expect(result.current).toBeNull()
})
