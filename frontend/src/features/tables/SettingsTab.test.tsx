import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderScreen, serve } from '@/testing/render'
import { SettingsTab } from './SettingsTab'

const source = {
  id: 'a1',
  kind: 'server',
  host: null,
  time: null,
  path: 'variables.txt',
  format: 'show-variables',
  count: 1,
}
const row = {
  name: 'version',
  state: 'only_a',
  a: { value: '8.0.36', artifact: 'f', line_first: 1, line_last: 1 },
  b: null,
  volatile: false,
  mentioned: [],
}

it('one source shows all that it has, and the button says so', async () => {
  serve({
    '/incidents/i1/settings/sources': [source],
    '/incidents/i1/settings': { a: source, b: null, rows: [row], differing: 0, total: 1 },
    '/incidents/i1/artifacts': { items: [] },
  })
  renderScreen(<SettingsTab />, '/incidents/i1/tables')
  const all = await screen.findByRole('button', { name: 'All 1' })
  expect(all.getAttribute('aria-pressed')).toBe('true')
  const differing = screen.getByRole('button', { name: 'Differing' })
  expect(differing.getAttribute('aria-pressed')).toBe('false')
  expect(await screen.findByText('8.0.36')).toBeTruthy()
})
