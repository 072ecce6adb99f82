/** The pages for a failed screen and for an unknown address. */
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { isRouteErrorResponse, Link, useRouteError } from 'react-router'
import { isMissingPart } from '@/api/problem'
import { useMay } from '@/api/queries'
import { whenReached } from '@/api/reach'
import { Button } from '@/ui/controls/Button'
import { peopleQuery } from '@/ui/text/commentQueries'
import { EmptyState, Problem } from '@/ui/display/States'

export function RouteError() {
  const error = useRouteError()
  if (isRouteErrorResponse(error) && error.status === 404) return <NotFound />
  return <Broken error={error} />
}

const RELOADED = 'reloaded-at'
const ONCE_IN_MS = 30_000

/** The page for a failed screen; a missing part of the app is reloaded once, when the server responds. */
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
      what={part ? 'This screen could not be loaded' : 'This screen failed'}
      onRetry={() => window.location.reload()}
    />
  )
}

export function NotFound() {
  return (
    <EmptyState page title="Page not found" action={<ToIncidents />}>
      The link may be incomplete, or its target was deleted.
    </EmptyState>
  )
}

/** The page for an incident that does not exist or was deleted, with the next step. */
export function IncidentNotHere() {
  const people = useQuery(peopleQuery)
  const admin = useMay('admin')
  const names = (people.data ?? []).filter((item) => item.admin).map((item) => item.name)
  return (
    <EmptyState title="Incident not found" action={<ToIncidents />}>
      The link may be cut, or the incident was deleted. A deleted incident stays in the bin for a
      while and can be brought back
      {admin ? (
        <>
          {' from '}
          <Link to="/">the incidents</Link>, under “Deleted”.
        </>
      ) : names.length > 0 ? (
        `: ask ${names.slice(0, 5).join(' or ')}.`
      ) : (
        ' by an administrator.'
      )}
    </EmptyState>
  )
}

function ToIncidents() {
  return (
    <Link to="/">
      <Button>Go to the incidents</Button>
    </Link>
  )
}
