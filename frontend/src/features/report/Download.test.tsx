import { act, render, renderHook } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { DownloadState, useDownload } from './Download'

afterEach(() => vi.unstubAllGlobals())

/** Starts a download of two and three bytes, the last of which arrive when `finish` is called. */
async function download(headers: Record<string, string>, status = 200) {
  const saved: string[] = []
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (
    this: HTMLAnchorElement,
  ) {
    saved.push(this.download)
  })
  URL.createObjectURL = () => 'blob:file'
  let arrive: () => void = vi.fn()
  const rest = new Promise<void>((resolve) => (arrive = resolve))
  const parts = [{ value: new Uint8Array(2) }, { value: new Uint8Array(3) }, { done: true }]
  const read = async () => {
    if (parts.length === 2) await rest
    return parts.shift()
  }
  vi.stubGlobal('fetch', async () => ({
    ok: status === 200,
    status,
    headers: new Headers(headers),
    json: async () => ({ title: 'Not typeset', detail: 'Too many pages.', status }),
    body: { getReader: () => ({ read }) },
  }))
  const { result } = renderHook(useDownload)
  let ended = Promise.resolve()
  await act(async () => {
    ended = result.current.start('/export')
    await new Promise((resolve) => setTimeout(resolve))
  })
  const finish = () =>
    act(async () => {
      arrive()
      await ended
    })
  const shown = () => {
    const { container, unmount } = render(<DownloadState download={result.current} />)
    const text = container.textContent
    const max = container.querySelector('progress')?.getAttribute('max')
    const isAnnounced = container.querySelector('[role=status]')?.textContent === text
    unmount()
    return { text, max, isAnnounced, isBusy: result.current.isBusy }
  }
  return { saved, shown, finish, cancel: () => act(() => result.current.cancel()) }
}

const NAMED = { 'Content-Disposition': 'attachment; filename="case.pdf"' }

it.each([
  [{ 'Content-Length': '5', ...NAMED }, 'Receiving 2B of 5B', '5', 'case.pdf'],
  [{}, 'Receiving 2B', null, 'report'],
  // A length of compressed bytes says nothing about those that arrive.
  [{ 'Content-Length': '5', 'Content-Encoding': 'gzip' }, 'Receiving 2B', null, 'report'],
])('saves what arrives with %o', async (headers, receiving, max, name) => {
  const { saved, shown, finish } = await download(headers)
  expect(shown()).toEqual({ text: receiving, max, isAnnounced: true, isBusy: true })
  await finish()
  expect(saved).toEqual([name])
  expect(shown()).toMatchObject({ text: `Saved ${name}, 5B`, isAnnounced: true, isBusy: false })
})

it('shows what the server refuses, and nothing of a download that was cancelled', async () => {
  const refused = await download({}, 422)
  expect(refused.shown()).toMatchObject({ isBusy: false })
  expect(refused.shown().text).toContain('Too many pages.')
  const cancelled = await download({})
  await cancelled.cancel()
  expect(cancelled.shown()).toMatchObject({ text: '', isBusy: false })
})
