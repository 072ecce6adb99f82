import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { renderScreen, serve } from '@/testing/render'
import SettingsScreen from './SettingsScreen'

afterEach(() => vi.unstubAllGlobals())

const hook = {
  id: 'w1',
  url: 'https://chat.example.org/hook',
  events: ['report.approved'],
  enabled: true,
  created_at: '2026-01-05T10:00:00Z',
}
const delivery = {
  id: 'd1',
  incident_id: 'i1',
  event: 'report.approved',
  payload: { event: 'report.approved', data: { number: 2 } },
  state: 'failed',
  attempts: 6,
  status_code: 503,
  answer: 'out of order',
  created_at: '2026-01-05T11:00:00Z',
  last_at: '2026-01-05T13:37:10Z',
}

describe('webhooks', () => {
  it('are added with their events, and the secret is shown once', async () => {
    const calls = serve({ '/webhooks': [], 'POST /webhooks': { ...hook, secret: 'whs_once' } })
    const user = userEvent.setup()
    renderScreen(<SettingsScreen />, '/settings?tab=webhooks', 'admin')
    expect(await screen.findByText('No webhooks yet')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Add a webhook' }))
    const add = await screen.findByRole<HTMLButtonElement>('button', { name: 'Add' })
    await user.type(screen.getByLabelText('Address'), hook.url)
    for (const box of screen.getAllByRole('checkbox').slice(0, 4)) await user.click(box)
    await user.click(screen.getByRole('checkbox', { name: /report.approved/ }))
    expect(add.disabled).toBe(true)
    await user.click(screen.getByRole('checkbox', { name: /report.approved/ }))
    await user.click(add)
    expect(await screen.findByText('whs_once')).toBeTruthy()
    expect(calls.find((call) => call.method === 'POST')?.body).toEqual({
      url: hook.url,
      events: ['report.approved'],
    })
    await user.click(screen.getByRole('button', { name: 'Done, hide it' }))
    expect(screen.queryByText('whs_once')).toBeNull()
  })

  it('are switched off, and deleted only after a question', async () => {
    const calls = serve({
      '/webhooks': [hook],
      'PATCH /webhooks/w1': hook,
      'DELETE /webhooks/w1': {},
    })
    const user = userEvent.setup()
    renderScreen(<SettingsScreen />, '/settings?tab=webhooks', 'admin')
    const act = async (name: string) => {
      await user.click(await screen.findByRole('button', { name: `Actions on ${hook.url}` }))
      await user.click(await screen.findByRole('menuitem', { name }))
    }
    await act('Disable')
    await waitFor(() =>
      expect(calls.find((call) => call.method === 'PATCH')?.body).toEqual({ enabled: false }),
    )
    await act('Delete…')
    expect(calls.some((call) => call.method === 'DELETE')).toBe(false)
    await user.click(await screen.findByRole('button', { name: 'Delete permanently' }))
    await waitFor(() => expect(calls.some((call) => call.method === 'DELETE')).toBe(true))
  })

  it('show what was sent and answered, and deliver it again', async () => {
    const calls = serve({
      '/webhooks': [hook],
      '/webhooks/w1/deliveries': [delivery],
      'POST /webhooks/w1/deliveries/d1/redeliver': { ...delivery, state: 'waiting' },
    })
    const user = userEvent.setup()
    renderScreen(<SettingsScreen />, '/settings?tab=webhooks&webhook=w1', 'admin')
    const log = await screen.findByRole('grid', { name: 'Deliveries' })
    const row = within(log).getByRole('row', { name: /report.approved/ })
    for (const part of ['failed', '6', '503', 'out of order'])
      expect(row.textContent).toContain(part)
    await user.click(within(log).getByText('out of order'))
    expect((await screen.findByRole('dialog')).textContent).toContain('"number": 2')
    await user.keyboard('{Escape}')
    await user.click(await screen.findByRole('button', { name: 'Deliver again' }))
    await waitFor(() =>
      expect(calls.map(({ path }) => path)).toContain('/webhooks/w1/deliveries/d1/redeliver'),
    )
  })

  it('are for admins', async () => {
    serve({ '/tokens': [] })
    renderScreen(<SettingsScreen />, '/settings?tab=webhooks')
    expect(await screen.findByLabelText('Current password')).toBeTruthy()
    expect(screen.getByText(/which administrators see/)).toBeTruthy()
    expect(screen.queryByRole('tab', { name: 'Webhooks' })).toBeNull()
  })
})
