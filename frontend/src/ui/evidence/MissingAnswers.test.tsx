import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { keys } from '@/api/keys'
import { MissingAnswers } from './Unanswered'

it('names the parts of a screen that have no answer, and no other part', () => {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } })
  client.setQueryData(keys.of('i1', 'overview'), {
    unanswered: [
      { part: 'waits', why: 'a.txt was left out' },
      { part: 'limits', why: 'b.txt was left out' },
    ],
  })
  render(
    <QueryClientProvider client={client}>
      <MissingAnswers incidentId="i1" parts={['stalls', 'waits']} />
    </QueryClientProvider>,
  )
  expect(screen.getByText(/The waits and blockers could not be determined: a\.txt/)).toBeTruthy()
  expect(screen.queryByText(/b\.txt/)).toBeNull()
})
