/** Under an empty screen: what is still on its way, and what was uploaded, which decides what there is. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import { overviewQuery } from '@/api/queries'
import type { Overview } from '@/api/schema'
import { useIncidentId } from '@/state/incident'
import { Button } from '@/ui/controls/Button'

export function SeeArtifacts() {
  const navigate = useNavigate()
  const { data } = useQuery(overviewQuery(useIncidentId()))
  const coming = data ? underWay(data) : null
  return (
    <>
      {coming && <p role="status">{coming}</p>}
      <Button variant="primary" onClick={() => void navigate('@/artifacts')}>
        See the artifacts
      </Button>
    </>
  )
}

/** Why a screen may still be empty; null when all was read and analysed. */
export function underWay({ artifacts, analysis }: Overview): string | null {
  const { parsing, total } = artifacts
  if (parsing > 0)
    return `${parsing} of ${total} ${total === 1 ? 'artifact is' : 'artifacts are'} still being read. This screen fills by itself.`
  if (analysis.state === 'queued') return 'The analysis waits for a worker.'
  if (analysis.state === 'running')
    return 'The analysis is running. This screen fills by itself when it ends.'
  if (analysis.state === 'failed')
    return `The analysis failed: ${analysis.error ?? 'it said nothing more'}. The overview runs it again.`
  return null
}
