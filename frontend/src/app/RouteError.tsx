/** What stands where a screen broke or an address leads nowhere. */
import { useEffect } from 'react'
import { isRouteErrorResponse, Link, useRouteError } from 'react-router'
import { isMissingPart } from '@/api/problem'
import { whenReached } from '@/api/reach'
import { Button } from '@/ui/Button'
import { EmptyState, Problem } from '@/ui/States'

export function RouteError() {
  const error = useRouteError()
  if (isRouteErrorResponse(error) && error.status === 404) return <NotFound />
  return <Broken error={error} />
}

const RELOADED = 'reloaded-at'
const ONCE_IN_MS = 30_000

/** A part of the app that did not come is loaded again when the server answers, once. */
function Broken({ error }: { readonly error: unknown }) {
  const part = isMissingPart(error)
  useEffect(() => {
    if (!part) return
    return whenReached(() => {
      if (Date.now() - Number(sessionStorage.getItem(RELOADED)) < ONCE_IN_MS) return
      sessionStorage.setItem(RELOADED, String(Date.now()))
      window.location.reload()
    })
  }, [part])
  return (
    <Problem
      error={error}
      what={part ? 'This screen did not load' : 'This screen broke'}
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
