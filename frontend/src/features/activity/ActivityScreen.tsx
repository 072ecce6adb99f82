/** The activity of an incident: the audit trail, mentions of me, and the bin. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from 'react-router'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import { useMay } from '@/api/queries'
import { useIncidentId } from '@/state/incident'
import { oneOf, useUrlState } from '@/state/url'
import { Trail } from '@/ui/history/Trail'
import { Button } from '@/ui/controls/Button'
import { Chip } from '@/ui/controls/Chip'
import { EmptyState, Problem, SkeletonRows } from '@/ui/display/States'
import { Tabs } from '@/ui/controls/Tabs'
import { subjectPath } from '@/ui/history/trailWords'
import { Ago, Time } from '@/ui/display/Value'
import './activity.css'

const TAB = oneOf(['all', 'mentions', 'deleted'] as const)
type Tab = 'all' | 'mentions' | 'deleted'

export default function ActivityScreen() {
  const id = useIncidentId()
  const [tab, setTab] = useUrlState<Tab>('tab', TAB, 'all')
  return (
    <div className="activity">
      <Tabs<Tab>
        label="Activity"
        value={tab}
        onChange={setTab}
        tabs={[
          { value: 'all', label: 'Activity', content: <Trail incidentId={id} /> },
          { value: 'mentions', label: 'Mentions of me', content: <Mentions incidentId={id} /> },
          { value: 'deleted', label: 'Deleted', content: <Deleted incidentId={id} /> },
        ]}
      />
    </div>
  )
}

function Mentions({ incidentId }: { readonly incidentId: string }) {
  const list = useQuery({
    queryKey: keys.of(incidentId, 'activity', 'mentions'),
    queryFn: () => unwrap(api.GET('/api/v1/mentions')),
  })
  if (list.isLoadingError) {
    return (
      <Problem
        error={list.error}
        what="The list could not be read"
        onRetry={() => void list.refetch()}
      />
    )
  }
  if (!list.data) return <SkeletonRows rows={4} />
  const { data } = list
  const here = data.filter((item) => item.incident_id === incidentId)
  if (here.length === 0) {
    return (
      <EmptyState compact title="No mentions of you">
        Comments with @ and your name appear here.
      </EmptyState>
    )
  }
  return (
    <ol className="trail">
      {here.map((item) => (
        <li key={item.id} className="trail-entry">
          <span className="trail-when">
            <Time at={item.at} />
          </span>
          <span>
            <strong>{item.by}</strong> mentioned you:{' '}
            <Link to={subjectPath(incidentId, item.subject)}>{item.body}</Link>
            {!item.seen && <Chip tone="waiting">new</Chip>}
          </span>
        </li>
      ))}
    </ol>
  )
}

function Deleted({ incidentId }: { readonly incidentId: string }) {
  const client = useQueryClient()
  const mayWrite = useMay('contributor')
  const list = useQuery({
    queryKey: keys.of(incidentId, 'activity', 'deleted'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/deleted', {
          params: { path: { incident_id: incidentId } },
        }),
      ),
  })
  const restore = useMutation({
    mutationFn: (item: { readonly kind: string; readonly id: string }) =>
      unwrap(
        api.POST('/api/v1/incidents/{incident_id}/deleted/{kind}/{item_id}/restore', {
          params: { path: { incident_id: incidentId, kind: item.kind, item_id: item.id } },
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.incident(incidentId) }),
  })
  if (list.isLoadingError) {
    return (
      <Problem
        error={list.error}
        what="The list could not be read"
        onRetry={() => void list.refetch()}
      />
    )
  }
  if (!list.data) return <SkeletonRows rows={4} />
  const { data } = list
  if (data.items.length === 0) {
    return (
      <EmptyState compact title="The bin is empty">
        Deleted items stay here for {data.days} days and can be restored.
      </EmptyState>
    )
  }
  return (
    <>
      {restore.isError && (
        <Problem compact error={restore.error} what="The item was not restored" />
      )}
      <p className="muted activity-note">
        Kept for {data.days} days after the deletion, then deleted permanently.
      </p>
      <ol className="trail">
        {data.items.map((item) => (
          <li key={item.id} className="trail-entry" data-testid="deleted-item">
            <span className="trail-when">
              <Ago at={item.deleted_at} />
            </span>
            <span className="trail-what">
              <Chip>{item.kind}</Chip> {item.title}{' '}
              {item.deleted_by && <span className="muted">deleted by {item.deleted_by}</span>}
            </span>
            {mayWrite && (
              <Button size="small" busy={restore.isPending} onClick={() => restore.mutate(item)}>
                Restore
              </Button>
            )}
          </li>
        ))}
      </ol>
    </>
  )
}
