/** What stands where a screen broke or an address leads nowhere. */
import { isRouteErrorResponse, Link, useRouteError } from 'react-router'
import { Button } from '@/ui/Button'
import { EmptyState, Problem } from '@/ui/States'

export function RouteError() {
  const error = useRouteError()
  if (isRouteErrorResponse(error) && error.status === 404) return <NotFound />
  const stale =
    error instanceof TypeError && /dynamically imported|module script/.test(error.message)
  return (
    <Problem
      error={error}
      what={stale ? 'Pileup was updated while this page was open' : 'This screen broke'}
      onRetry={() => window.location.reload()}
    />
  )
}

export function NotFound() {
  return (
    <EmptyState
      title="There is nothing at this address"
      action={
        <Link to="/">
          <Button>Go to the incidents</Button>
        </Link>
      }
    >
      The link may be cut, or what it led to was taken away.
    </EmptyState>
  )
}
