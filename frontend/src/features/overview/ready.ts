/** Whether an analysis finished while the reader watched. */
import { useState } from 'react'
import type { Overview } from '@/api/schema'

/** Return whether the analysis became ready since the page opened, until it is dismissed. */
export function useReady({ analysis, artifacts, incident }: Overview) {
  const [watched, setWatched] = useState<string | null>(null)
  const isWorking =
    artifacts.parsing > 0 || analysis.state === 'queued' || analysis.state === 'running'
  if (isWorking && watched !== incident.id) setWatched(incident.id)
  return {
    isNew: !isWorking && analysis.state === 'done' && watched === incident.id,
    dismiss: () => setWatched(null),
  }
}
