/** The action of an empty screen: the progress of parsing and analysis, and a link to the artifacts. */
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

/** Explain why a screen may still be empty; null when everything is parsed and analysed. */
export function underWay({ artifacts, analysis }: Overview): string | null {
  const { parsing, total } = artifacts
  if (parsing > 0)
    return `Parsing ${total - parsing} of ${total} ${total === 1 ? 'file' : 'files'}. This screen updates automatically.`
  if (analysis.state === 'queued') return 'The analysis is waiting for a worker.'
  if (analysis.state === 'running')
    return 'The analysis is running. This screen updates automatically.'
  if (analysis.state === 'failed')
    return `The analysis failed: ${analysis.error ?? 'no details'}. Run it again from the overview.`
  return null
}
