import { cleanup, fireEvent, screen, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { renderScreen, serve } from '@/testing/render'
import type { Release } from './queries'
import { VersionsPanel } from './VersionsPanel'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const release = (number: number, changes: Partial<Release> = {}): Release => ({
  id: `r${number}`,
  number,
  state: 'in_review',
  sha256: `${number}`.repeat(64),
  signature: { state: 'ok', fingerprint: 'ab:cd', key: 'k', value: 'v' },
  bytes: 10,
  note: '',
  made_by: 'Ada',
  made_at: '2026-11-20T22:19:49.123Z',
  decided_at: null,
  approvals: [],
  ...changes,
})
const open = (releases: Release[], diff: unknown = []) => {
  const calls = serve({
    '/incidents/i1/releases': { releases },
    '/incidents/i1/releases/diff': diff,
    '/incidents/i1/report/diff': diff,
  })
  renderScreen(<VersionsPanel incidentId="i1" />, '/incidents/i1/report')
  return calls
}

test('each release says its state, its hash, who made and approved it, when, and what it is signed by', async () => {
  const approvals = [
    {
      ...{ by: 'Bea', note: '', statement: '', sha256: '2'.repeat(64), fingerprint: null },
      ...{ at: '2026-11-21T08:05:59Z', signature: 'changed' as const },
    },
  ] as unknown as Release['approvals']
  open([
    release(3, { note: 'after the call' }),
    release(2, {
      state: 'approved',
      approvals,
      signature: { ...release(2).signature, state: 'another key' },
    }),
    release(1, { state: 'withdrawn', signature: { ...release(1).signature, state: 'unsigned' } }),
  ])
  const shown = (await screen.findAllByTestId('report-release')).map((item) => item.textContent)
  const rest = 'Compare with the draft'
  expect(shown).toEqual([
    `Release 3◔in review${'3'.repeat(16)}Signed by this installationAda, 2026-11-20 22:19 UTC: after the call${rest}`,
    `Release 2●approved${'2'.repeat(16)}Signed by another installationAda, 2026-11-20 22:19 UTC` +
      `Approved by Bea, 2026-11-21 08:05 UTC. The signature is of another approval.${rest}`,
    `Release 1○withdrawn${'1'.repeat(16)}Not signedAda, 2026-11-20 22:19 UTC${rest}`,
  ])
  expect(screen.getByTitle(`SHA-256 ${'3'.repeat(64)}`)).toBeTruthy()
})

test('the differences of one release at a time are shown, without what is the same', async () => {
  open(
    [release(2), release(1)],
    [
      { key: 'a', title: 'Summary', change: 'same', lines: [[' ', 'kept']] },
      {
        key: 'b',
        title: 'Impact',
        change: 'changed',
        lines: [
          ['+', 'more'],
          ['-', 'less'],
          [' ', 'as before'],
        ],
      },
    ],
  )
  const buttons = await screen.findAllByRole('button', { name: 'Compare with the draft' })
  const [second, first] = buttons as [HTMLElement, HTMLElement]
  fireEvent.click(second)
  expect(await screen.findByText('Impact')).toBeTruthy()
  expect(screen.queryByText('Summary')).toBeNull()
  expect([second, first].map((item) => item.getAttribute('aria-expanded'))).toEqual([
    'true',
    'false',
  ])
  const lines = [...document.querySelectorAll('.diff-line')]
  expect(lines.map((line) => [line.className, line.textContent.trim()])).toEqual([
    ['diff-line plus', '+ more'],
    ['diff-line minus', '- less'],
    ['diff-line', 'as before'],
  ])
  fireEvent.click(first)
  expect([second, first].map((item) => item.getAttribute('aria-expanded'))).toEqual([
    'false',
    'true',
  ])
  fireEvent.click(first)
  expect(screen.queryByText('Impact')).toBeNull()
})

test('without a release it says how one is made', async () => {
  open([])
  expect(await screen.findByText(/^No release yet\./)).toBeTruthy()
  expect(within(document.body).queryByTestId('report-release')).toBeNull()
})
