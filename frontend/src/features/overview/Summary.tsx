/** The summary of the team: shown as text; the editor loads when somebody edits it. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import { useMay } from '@/api/queries'
import { draftsOf } from '@/state/textDrafts'
import { Button } from '@/ui/controls/Button'
import { Problem, Skeleton } from '@/ui/display/States'

const KEY = 'summary'

const LiveText = lazy(() =>
  import('@/ui/text/LiveText').then((module) => ({ default: module.LiveText })),
)

const summaryQuery = (id: string) =>
  queryOptions({
    queryKey: keys.of(id, 'texts', KEY, 'now'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/texts/{key}', {
          params: { path: { incident_id: id, key: KEY } },
        }),
      ),
  })

export function Summary({ incidentId }: { readonly incidentId: string }) {
  const mayWrite = useMay('contributor')
  // The editor sends and shows what a closed tab left behind.
  const [editing, setEditing] = useState(() => draftsOf(incidentId, KEY).length > 0)
  const [focused, setFocused] = useState(false)
  const text = useQuery({ ...summaryQuery(incidentId), enabled: !editing })
  if (editing) {
    return (
      <Suspense fallback={<Skeleton />}>
        <LiveText
          className="osection-text"
          incidentId={incidentId}
          textKey={KEY}
          label="Summary"
          placeholder="Describe what happened"
          autoFocus={focused}
        />
      </Suspense>
    )
  }
  if (text.isLoadingError) {
    return (
      <Problem
        compact
        error={text.error}
        what="The summary could not be read"
        onRetry={() => void text.refetch()}
      />
    )
  }
  if (!text.data) return <Skeleton />
  const words = text.data.text.trim()
  return (
    <div className="osection-text summary">
      {words ? <p>{words}</p> : <p className="muted">Nobody has described what happened yet.</p>}
      {mayWrite && (
        <Button
          size="small"
          onClick={() => {
            setFocused(true)
            setEditing(true)
          }}
        >
          {words ? 'Edit the summary' : 'Write a summary'}
        </Button>
      )}
    </div>
  )
}
