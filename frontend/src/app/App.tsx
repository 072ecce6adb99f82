/** Providers around the routes. */
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from 'react-router'
import { ApiProblem } from '@/api/problem'
import { onMutationError, onQueryError } from '@/api/reach'
import { AwayBand } from './AwayBand'
import { makeRouter } from './routes'

const client: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: onQueryError(() => client) }),
  mutationCache: new MutationCache({ onError: onMutationError }),
  defaultOptions: {
    // A Pileup on this machine is reached without any network, which the browser takes for offline.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: 15_000,
      refetchOnWindowFocus: false,
      // What the server refused it refuses again; only a broken way is tried twice more.
      retry: (count, error) =>
        count < 2 && !(error instanceof ApiProblem && error.status >= 400 && error.status < 500),
    },
  },
})
const router = makeRouter(client)

export function App() {
  return (
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
      <AwayBand />
    </QueryClientProvider>
  )
}
