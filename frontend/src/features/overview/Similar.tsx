/** Past incidents with the same cause or symptoms, and the hypotheses refuted or supported there. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import { ShareBar } from '@/ui/display/Bar'
import { ShareValue, Time } from '@/ui/display/Value'
import { Section } from './Section'

const similarQuery = (id: string) =>
  queryOptions({
    queryKey: keys.of(id, 'overview', 'similar'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/similar', {
          params: { path: { incident_id: id } },
        }),
      ),
  })

/** The symptoms in one sentence; some of them are sentences, with a full stop of their own. */
const listed = (symptoms: readonly string[]) =>
  symptoms.map((symptom) => symptom.replace(/\.+$/, '')).join('; ')

export function Similar({ incidentId }: { readonly incidentId: string }) {
  const similar = useQuery(similarQuery(incidentId))
  if (!similar.data?.length) return null
  return (
    <Section title="Similar incidents" note="by cause and symptoms">
      <ul className="side-list">
        {similar.data.map((item) => (
          <li key={item.id}>
            <div className="side-row">
              <Link to={`/incidents/${item.id}/overview`}>{item.title}</Link>
              <span className="side-space" />
              <ShareBar value={item.score} tone="running" />
              <span className="bar-value">
                <ShareValue value={item.score} />
              </span>
            </div>
            {item.onset && (
              <div className="faint">
                <Time at={item.onset} zone />
              </div>
            )}
            <div className="muted">In common: {listed(item.shared.slice(0, 4))}.</div>
            {item.only_there.length > 0 && (
              <div className="muted">Only there: {listed(item.only_there.slice(0, 3))}.</div>
            )}
            {item.refuted.map((past) => (
              <div key={past.statement} className="muted">
                <strong>Refuted there:</strong> {past.statement}
              </div>
            ))}
            {item.supported.map((past) => (
              <div key={past.statement} className="muted">
                <strong>Supported there:</strong> {past.statement}
              </div>
            ))}
          </li>
        ))}
      </ul>
    </Section>
  )
}
