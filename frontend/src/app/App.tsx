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
    // A local Pileup is reachable without a network, which the browser reports as offline.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: 15_000,
      refetchOnWindowFocus: false,
      // The server refuses a refused request again; only a broken connection is retried, twice.
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
