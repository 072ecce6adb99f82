/** Open actions: owner, due date and the experiment that verifies each. */
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from 'react-router'
import { actionsQuery } from '@/api/queries'
import { formatNumber } from '@/format'
import { sharedSearch } from '@/state/url'
import { Problem } from '@/ui/display/States'
import { Nothing, Section } from './Section'

export function Actions({ incidentId }: { readonly incidentId: string }) {
  const { search } = useLocation()
  const { data, error } = useQuery(actionsQuery(incidentId))
  const open = data?.filter((item) => item.status === 'open' || item.status === 'started') ?? []
  const done = (data?.length ?? 0) - open.length
  const to = `/incidents/${incidentId}/report${sharedSearch(search, { panel: 'actions' })}`
  return (
    <Section
      title="Open actions"
      note={
        <>
          {done > 0 && `${formatNumber(done)} done or dropped · `}
          <Link to={to}>{open.length > 0 ? 'Edit actions' : 'Add an action'}</Link>
        </>
      }
    >
      {error && <Problem compact error={error} what="The actions could not be read" />}
      {data && open.length === 0 && (
        <Nothing>{done > 0 ? 'All actions are done.' : 'No actions yet.'}</Nothing>
      )}
      {open.length > 0 && (
        <ul className="side-list" aria-label="Open actions">
          {open.map((item) => (
            <li key={item.id}>
              {item.text}
              <div className="muted">
                {item.owner || 'no owner'} · {item.due ? `due ${item.due}` : 'no due date'}
                {item.experiment_number !== null &&
                  ` · verified by experiment ${item.experiment_number}`}
              </div>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}
