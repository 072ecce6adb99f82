import { fireEvent, render, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { renderScreen, serve } from '@/testing/render'
import { freeName, PasteDialog } from './PasteDialog'
import { usePaste } from './usePaste'

afterEach(() => vi.unstubAllGlobals())

const UNDERSTOOD = {
  format: 'innodb-status',
  title: 'SHOW ENGINE INNODB STATUS',
  confidence: 0.9,
  why: 'it prints semaphore waits',
  name: 'pasted/innodb-status.txt',
  lines: 12,
  coverage: 0.93,
  records: [
    { kind: 'semaphore_wait', count: 3, words: '3 semaphore waits' },
    { kind: 'snapshot', count: 1, words: '1 snapshot' },
  ],
  prints_time: false,
  first: null,
  last: null,
  host: null,
  problems: [{ line: 4, message: 'Line 4: a wait without an end.' }],
  problems_total: 1,
}

describe('the paste box', () => {
  it('shows what was understood, asks for a time, and stores both', async () => {
    serve({ 'POST /paste/preview': UNDERSTOOD })
    const onStore = vi.fn()
    renderScreen(
      <PasteDialog
        open
        onOpenChange={vi.fn()}
        text="--Thread 1 has waited"
        onText={vi.fn()}
        taken={['pasted/innodb-status.txt']}
        onStore={onStore}
      />,
      '/incidents/i1/artifacts',
    )
    expect(await screen.findByText('3 semaphore waits, 1 snapshot')).toBeTruthy()
    expect(screen.getByText(/a wait without an end/)).toBeTruthy()
    fireEvent.change(screen.getByLabelText('When was this?'), {
      target: { value: '2020-11-10T18:42' },
    })
    fireEvent.click(screen.getByRole('button', { name: 'Store as an artifact' }))
    const [file] = onStore.mock.calls[0] ?? []
    expect(file.path).toBe('pasted/innodb-status-2.txt')
    expect(file.given).toEqual({ at: '2020-11-10T18:42:00.000Z', within_s: 60, host: null })
    expect(file.file.size).toBe('--Thread 1 has waited'.length)
  })

  it('does not ask when the text prints its own time', async () => {
    serve({ 'POST /paste/preview': { ...UNDERSTOOD, prints_time: true } })
    renderScreen(
      <PasteDialog
        open
        onOpenChange={vi.fn()}
        text="2026-11-20T22:00:00Z"
        onText={vi.fn()}
        taken={[]}
        onStore={vi.fn()}
      />,
      '/incidents/i1/artifacts',
    )
    expect(await screen.findByText('3 semaphore waits, 1 snapshot')).toBeTruthy()
    expect(screen.queryByLabelText('When was this?')).toBeNull()
  })
})

describe('Ctrl+V anywhere', () => {
  function Page({ onText }: { readonly onText: (text: string) => void }) {
    usePaste({ onText, onFiles: vi.fn() }, true)
    return <input aria-label="field" />
  }
  const clipboard = { files: [], getData: () => 'some text' }

  it('takes text outside of fields, and leaves fields alone', () => {
    const onText = vi.fn()
    render(<Page onText={onText} />)
    fireEvent.paste(screen.getByLabelText('field'), { clipboardData: clipboard })
    expect(onText).not.toHaveBeenCalled()
    fireEvent.paste(document.body, { clipboardData: clipboard })
    expect(onText).toHaveBeenCalledWith('some text')
  })
})

it('numbers a name that exists', () => {
  expect(freeName('pasted/a.txt', [])).toBe('pasted/a.txt')
  expect(freeName('pasted/a.txt', ['pasted/a.txt', 'pasted/a-2.txt'])).toBe('pasted/a-3.txt')
})
