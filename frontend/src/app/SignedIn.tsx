/** Route guard: sends visitors to sign in and then back to the requested page. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Navigate, Outlet, useLocation } from 'react-router'
import { sessionLost } from '@/api/client'
import { keys } from '@/api/keys'
import { asProblem } from '@/api/problem'
import { sessionQuery } from '@/api/queries'
import { PinProvider } from '@/ui/evidence/pin'
import { Problem } from '@/ui/display/States'
import { EnrollScreen } from './EnrollScreen'

export function SignedIn() {
  const location = useLocation()
  const client = useQueryClient()
  const session = useQuery(sessionQuery)
  useEffect(() => {
    const onLost = () => void client.resetQueries({ queryKey: keys.session })
    sessionLost.addEventListener('lost', onLost)
    return () => sessionLost.removeEventListener('lost', onLost)
  }, [client])

  if (session.error) {
    if (asProblem(session.error).status === 401) {
      const next = location.pathname + location.search
      const search = next === '/' ? '' : `?next=${encodeURIComponent(next)}`
      return <Navigate to={`/sign-in${search}`} replace />
    }
    return (
      <Problem
        error={session.error}
        what="Pileup does not respond"
        onRetry={() => void session.refetch()}
      />
    )
  }
  if (!session.data) return null
  const { guest, incident_id: only, must_enroll: mustEnroll } = session.data
  if (mustEnroll) return <EnrollScreen />
  if (guest && !location.pathname.startsWith(`/incidents/${only}`)) {
    return <Navigate to={`/incidents/${only}/overview`} replace />
  }
  return (
    <PinProvider>
      <Outlet />
    </PinProvider>
  )
}
