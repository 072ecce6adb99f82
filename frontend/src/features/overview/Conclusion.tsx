/** What the team concluded: the supported hypotheses, and how many are refuted. */
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from 'react-router'
import { hypothesesQuery } from '@/api/queries'
import { formatNumber } from '@/format'
import { sharedSearch } from '@/state/url'
import { Section } from './Section'

export function Conclusion({ incidentId }: { readonly incidentId: string }) {
  const { search } = useLocation()
  const { data } = useQuery(hypothesesQuery(incidentId))
  const supported = data?.filter((item) => item.status === 'supported') ?? []
  const refuted = data?.filter((item) => item.status === 'refuted').length ?? 0
  if (supported.length === 0) return null
  const to = (hypothesis?: string) =>
    `/incidents/${incidentId}/hypotheses${sharedSearch(search, hypothesis ? { hypothesis } : {})}`
  return (
    <Section
      title="Conclusion of the team"
      note={refuted > 0 && <Link to={to()}>{formatNumber(refuted)} refuted</Link>}
    >
      <ul className="side-list" aria-label="Conclusion of the team">
        {supported.map((item) => (
          <li key={item.id}>
            <Link to={to(item.id)}>{item.label}</Link> {item.statement}
            {item.confidence !== null && <div className="muted">{item.confidence}% sure</div>}
          </li>
        ))}
      </ul>
    </Section>
  )
}
