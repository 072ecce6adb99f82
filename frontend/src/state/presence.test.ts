import { renderHook } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'

const said: { tab: string; left: boolean }[] = []
vi.mock('@/api/client', () => ({
  api: {
    POST: (_: string, { body }: { body: { tab: string; left: boolean } }) => {
      said.push(body)
      return Promise.resolve()
    },
  },
}))

afterEach(() => sessionStorage.clear())

async function open() {
  said.length = 0
  vi.resetModules()
  const { usePresence } = await import('@/state/presence')
  const page = renderHook(() => usePresence('i1', '/incidents/i1', false))
  await vi.waitFor(() => expect(said.at(-1)?.left).toBe(false))
  return page
}

it('keeps the id of a tab that is loaded again, and not for a copy of the tab', async () => {
  const first = await open()
  const before = said.at(-1)?.tab
  window.dispatchEvent(new Event('pagehide'))
  await open()
  const after = said.at(-1)?.tab
  expect(after).toBe(before)
  await open()
  expect(said.at(-1)?.tab).not.toBe(before)
  first.unmount()
})
