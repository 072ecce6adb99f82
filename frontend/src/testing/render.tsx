/** Renders a screen of an incident with a server made of fixtures, by method and path. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render } from '@testing-library/react'
import type { ReactNode } from 'react'
import { createBrowserRouter, RouterProvider } from 'react-router'
import { vi } from 'vitest'
import { keys } from '@/api/keys'
import { IncidentContext } from '@/state/incident'
import { PinProvider } from '@/ui/evidence/pin'

type Call = {
  readonly method: string
  readonly path: string
  readonly search: string
  readonly body: unknown
}

/** Answers '/path' (GET) or 'METHOD /path' below /api/v1; anything else is a 404 problem. A promise answers late. */
export function serve(answers: Readonly<Record<string, unknown>>): Call[] {
  const calls: Call[] = []
  vi.stubGlobal('fetch', async (request: Request) => {
    const address = new URL(request.url)
    const path = address.pathname.replace('/api/v1', '')
    const body: unknown = request.method === 'GET' ? null : await request.json().catch(() => null)
    calls.push({ method: request.method, path, search: address.search, body })
    const answer = await answers[request.method === 'GET' ? path : `${request.method} ${path}`]
    const found = answer !== undefined
    return new Response(
      JSON.stringify(found ? answer : { title: 'Not found', detail: `no ${path}`, status: 404 }),
      { status: found ? 200 : 404, headers: { 'Content-Type': 'application/json' } },
    )
  })
  return calls
}

/** ask: what the router sends off before the screen is there. */
export function renderScreen(
  screen: ReactNode,
  address: string,
  role = 'contributor',
  ask?: (client: QueryClient) => void,
): void {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  client.setQueryData(keys.session, { user: { id: 'u', name: 'Ada', role }, csrf: null })
  ask?.(client)
  window.history.replaceState(null, '', address)
  const router = createBrowserRouter([{ path: '*', element: screen }])
  render(
    <QueryClientProvider client={client}>
      <IncidentContext.Provider value={{ id: 'i1', zone: '-08:00' }}>
        <PinProvider>
          <RouterProvider router={router} />
        </PinProvider>
      </IncidentContext.Provider>
    </QueryClientProvider>,
  )
}
