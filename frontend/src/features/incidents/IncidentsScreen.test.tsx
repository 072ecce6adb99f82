import { fireEvent, screen, waitFor } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import userEvent from '@testing-library/user-event'
import { renderScreen, serve } from '@/testing/render'
import { UndoToast } from '@/ui/history/undo'
import IncidentsScreen from './IncidentsScreen'

afterEach(() => vi.unstubAllGlobals())

const row = {
  id: 'i1',
  title: 'Checkout stall',
  status: 'open',
  severity: 'sev2',
  service: 'shop',
  engine: 'mysql 8.0.15',
  onset: '2021-04-05T09:30:52Z',
  duration_s: 96,
  peak_waiters: 391,
  leading: { statement: 'One idle transaction holds the row', confidence: 80 },
  finding: null,
  artifacts: 212,
  owner: null,
  created_at: '2021-04-05T10:00:00Z',
  updated_at: '2021-04-05T10:00:00Z',
  spark: [0, 391, null, 3],
  spark_classes: null,
  story: 'For 96 s, up to 391 sessions waited for session 390.',
}

const EMPTY = { items: [], total: 0, everything: 0, services: [], teams: [] }
const ONE = { items: [row], total: 1, everything: 1, services: ['shop'], teams: [] }

describe('incidents', () => {
  it('begins with three ways when there is none', async () => {
    const calls = serve({
      '/incidents': EMPTY,
      '/samples': [
        {
          id: 's',
          title: 'Hot row',
          description: 'One row',
          finished: false,
          bytes: 10,
          incident_id: null,
        },
      ],
      'POST /tokens': { id: 't', name: 'n', verbs: ['upload'], token: 'plp_once' },
    })
    renderScreen(<IncidentsScreen />, '/')
    expect(await screen.findByRole('button', { name: 'Load Hot row' })).toBeTruthy()
    expect(screen.getByText('Choose a folder')).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: /Create a token/ }))
    expect(await screen.findByText(/--token plp_once/)).toBeTruthy()
    expect(calls.find((call) => call.method === 'POST')?.body).toMatchObject({ verbs: ['upload'] })
  })

  it('shows onset, length, peak and the leading hypothesis', async () => {
    serve({ '/incidents': ONE, '/samples': [] })
    renderScreen(<IncidentsScreen />, '/')
    const shown = await screen.findByRole('row', { name: /Checkout stall/ })
    for (const part of ['2021-04-05 09:30:52', '96', '391', '80', 'One idle transaction'])
      expect(shown.textContent).toContain(part)
  })

  it('describes the picture of the sessions by what it draws, also where no peak was counted', async () => {
    serve({
      '/incidents': { ...ONE, items: [{ ...row, peak_waiters: null, spark: [0, null, 12] }] },
      '/samples': [],
    })
    renderScreen(<IncidentsScreen />, '/')
    expect(await screen.findByLabelText('Active sessions over time, at most 12')).toBeTruthy()
  })

  it('draws what the sessions waited for, where that is known', async () => {
    const classes = [
      { id: 'working', title: 'Working', values: [0, 1, null, 1] },
      { id: 'row_lock', title: 'Row lock', values: [0, 390, null, 2] },
    ]
    serve({ '/incidents': { ...ONE, items: [{ ...row, spark_classes: classes }] }, '/samples': [] })
    renderScreen(<IncidentsScreen />, '/')
    const words = 'Active sessions over time, at most 391: Row lock, Working'
    const picture = await screen.findByRole('img', { name: words })
    expect(picture.querySelectorAll('path')).toHaveLength(2)
  })

  it('asks the server for what the address says: words, status, service, order and page', async () => {
    const calls = serve({
      '/incidents': {
        items: [row],
        total: 250,
        everything: 900,
        services: ['pay', 'shop'],
        teams: [],
      },
      '/samples': [],
    })
    const user = userEvent.setup()
    renderScreen(<IncidentsScreen />, '/?q=lock&service=shop&page=1')
    await screen.findByRole('row', { name: /Checkout stall/ })
    expect(screen.getByText('incidents 101 to 200 of 250')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'review' }))
    await user.click(screen.getByRole('button', { name: /Peak/ }))
    await waitFor(() => expect(calls.at(-1)?.search).toContain('sort=peak'))
    const asked = new URLSearchParams(calls.at(-1)?.search)
    expect(Object.fromEntries(asked)).toMatchObject({
      q: 'lock',
      service: 'shop',
      status: 'review',
      offset: '0',
    })
  })

  it('says so when no incident matches, with a way back', async () => {
    serve({
      '/incidents': { items: [], total: 0, everything: 12, services: [], teams: [] },
      '/samples': [],
    })
    renderScreen(<IncidentsScreen />, '/?q=nope')
    expect(await screen.findByText('No incident matches the filter')).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: 'Show all 12' }))
    await waitFor(() => expect(window.location.search).toBe(''))
  })

  it('lets an admin delete one, take it back, and see the bin', async () => {
    const deleted = { kind: 'incident', id: 'i9', title: 'Old stall', deleted_by: 'Bo' }
    const calls = serve({
      '/incidents': ONE,
      '/samples': [],
      '/deleted-incidents': { items: [{ ...deleted, deleted_at: row.created_at }], days: 12 },
      'DELETE /incidents/i1': {},
      'POST /deleted-incidents/i1/restore': {},
      'POST /deleted-incidents/i9/restore': {},
    })
    const user = userEvent.setup()
    renderScreen(
      <>
        <IncidentsScreen />
        <UndoToast />
      </>,
      '/',
      'admin',
    )
    await user.click(await screen.findByRole('button', { name: 'More actions for Checkout stall' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Delete the incident…' }))
    const element = await screen.findByRole('dialog', { name: 'Delete the incident' })
    expect(element.textContent).toContain('all 212 artifacts')
    await waitFor(() => expect(element.textContent).toContain('for 12 days'))
    expect(calls.some((call) => call.method === 'DELETE')).toBe(false)
    await user.click(screen.getByRole('button', { name: 'Delete' }))
    expect(await screen.findByText('Deleted: Checkout stall')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Undo' }))
    await waitFor(() => expect(screen.queryByText('Deleted: Checkout stall')).toBeNull())
    await user.click(screen.getByRole('button', { name: 'Deleted' }))
    await user.click(await screen.findByRole('button', { name: 'Restore Old stall' }))
    const restored = () => calls.filter((call) => call.path.endsWith('/restore'))
    await waitFor(() =>
      expect(restored().map((call) => call.path.split('/')[2])).toEqual(['i1', 'i9']),
    )
  })

  it('offers no deletion to others', async () => {
    serve({ '/incidents': ONE, '/samples': [] })
    renderScreen(<IncidentsScreen />, '/')
    await screen.findByRole('row', { name: /Checkout stall/ })
    expect(screen.queryByRole('button', { name: /More of/ })).toBeNull()
    expect(screen.queryByRole('button', { name: 'Deleted' })).toBeNull()
  })

  it('tells viewers what will be here', async () => {
    serve({ '/incidents': EMPTY, '/samples': [] })
    renderScreen(<IncidentsScreen />, '/', 'viewer')
    expect(await screen.findByText('No incidents yet')).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'New incident' })).toBeNull()
  })
})
