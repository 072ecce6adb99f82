import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, it, vi } from 'vitest'
import { renderScreen, serve } from '@/testing/render'
import SettingsScreen from './SettingsScreen'

afterEach(() => vi.unstubAllGlobals())

it('an admin names what reports that leave do not say', async () => {
  const calls = serve({
    '/redaction-profiles': [{ name: 'For the press', kinds: ['hosts', 'users'] }],
    'PUT /redaction-profiles/For%20vendors': { name: 'For vendors', kinds: ['sql'] },
    'DELETE /redaction-profiles/For%20the%20press': {},
  })
  const user = userEvent.setup()
  renderScreen(<SettingsScreen />, '/settings?tab=redaction', 'admin')
  expect(await screen.findByText('Hosts, Users')).toBeTruthy()
  await user.type(screen.getByLabelText('Name of the profile'), 'For vendors')
  for (const kind of ['Hosts', 'Users', 'Addresses']) {
    await user.click(screen.getByRole('checkbox', { name: kind }))
  }
  await user.click(screen.getByRole('button', { name: 'Save profile' }))
  expect(calls.find((call) => call.method === 'PUT')?.body).toEqual({ kinds: ['sql'] })
  await user.click(screen.getByRole('button', { name: 'Delete For the press' }))
  expect(calls.some((call) => call.method === 'DELETE')).toBe(true)
})
