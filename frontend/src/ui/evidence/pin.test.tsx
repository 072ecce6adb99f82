import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { keys } from '@/api/keys'
import { PinButton, PinProvider } from './pin'

afterEach(() => vi.unstubAllGlobals())

type Call = { readonly method: string; readonly path: string; readonly body: unknown }

function serve(hypotheses: unknown[]) {
  const calls: Call[] = []
  vi.stubGlobal('fetch', async (request: Request) => {
    const path = new URL(request.url).pathname
    const body: unknown = request.method === 'GET' ? null : await request.json()
    if (request.method !== 'GET') calls.push({ method: request.method, path, body })
    const answer = path.endsWith('/hypotheses')
      ? request.method === 'GET'
        ? hypotheses
        : { id: 'h-new' }
      : { id: path.endsWith('/pins') ? 'p1' : 'e1' }
    return new Response(JSON.stringify(answer), { headers: { 'Content-Type': 'application/json' } })
  })
  return calls
}

function open(role: string) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } })
  client.setQueryData(keys.session, { user: { id: 'u', name: 'Ada', role }, csrf: null })
  window.history.replaceState(null, '', '/incidents/i1/waits?at=2')
  render(
    <QueryClientProvider client={client}>
      <PinProvider>
        <PinButton
          incidentId="i1"
          pin={{ kind: 'wait_node', title: 'trx 42 blocks 300', locator: { node: 'trx-42' } }}
        />
      </PinProvider>
    </QueryClientProvider>,
  )
}

it('pins to a new hypothesis: hypothesis, pin with the address, evidence', async () => {
  const calls = serve([])
  open('contributor')
  fireEvent.click(screen.getByRole('button', { name: 'Pin as evidence' }))
  const statement = await screen.findByLabelText('Statement of the new hypothesis')
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Pin' }).disabled).toBe(true)
  fireEvent.change(statement, { target: { value: 'One idle transaction holds the row' } })
  fireEvent.click(screen.getByRole('button', { name: '− against it' }))
  fireEvent.click(screen.getByRole('button', { name: 'Pin' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(calls.map((call) => call.path)).toEqual([
    '/api/v1/incidents/i1/hypotheses',
    '/api/v1/incidents/i1/pins',
    '/api/v1/hypotheses/h-new/evidence',
  ])
  expect(calls[1]?.body).toMatchObject({ kind: 'wait_node', view: '/incidents/i1/waits?at=2' })
  expect(calls[2]?.body).toEqual({ pin_id: 'p1', side: 'against', note: '' })
})

it('offers the hypotheses that stand, the first one chosen', async () => {
  const calls = serve([
    { id: 'h1', statement: 'The row is hot', status: 'active', confidence: 60 },
    { id: 'h2', statement: 'Old idea', status: 'superseded', confidence: null },
  ])
  open('admin')
  fireEvent.click(screen.getByRole('button', { name: 'Pin as evidence' }))
  await screen.findByText('The row is hot')
  expect(screen.queryByText('Old idea')).toBeNull()
  fireEvent.click(screen.getByRole('button', { name: 'Pin' }))
  await waitFor(() => expect(calls).toHaveLength(2))
  expect(calls[1]?.path).toBe('/api/v1/hypotheses/h1/evidence')
})

it('is not there for viewers', () => {
  serve([])
  open('viewer')
  expect(screen.queryByRole('button')).toBeNull()
})
