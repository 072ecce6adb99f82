/** The route /v/<id>: redirects a short link to its view. */
import { useQuery } from '@tanstack/react-query'
import { Navigate, useParams } from 'react-router'
import { asProblem } from '@/api/problem'
import { Problem } from '@/ui/display/States'
import { viewLinkQuery } from './queries'

export function ViewLink() {
  const { viewId = '' } = useParams()
  const link = useQuery(viewLinkQuery(viewId))
  if (link.data)
    return <Navigate to={`/incidents/${link.data.incident_id}/${link.data.view}`} replace />
  if (!link.error) return null
  const gone = asProblem(link.error).status === 404
  return (
    <Problem
      error={link.error}
      what={gone ? 'Link not found' : 'The link could not be read'}
      {...(gone ? {} : { onRetry: () => void link.refetch() })}
    />
  )
}
