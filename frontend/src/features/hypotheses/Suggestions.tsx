/** Findings that nobody has judged yet, to be taken as hypotheses or dismissed. */
import { useQuery } from '@tanstack/react-query'
import { useMay } from '@/api/queries'
import { ShareBar } from '@/ui/Bar'
import { Button } from '@/ui/Button'
import { Problem } from '@/ui/States'
import { findingsQuery, useHypothesisWrites } from './queries'

type Props = { incidentId: string; onMade: (id: string) => void }

export function Suggestions({ incidentId, onMade }: Props) {
  const { data } = useQuery(findingsQuery(incidentId))
  const { fromFinding, dismiss } = useHypothesisWrites(incidentId)
  const mayWrite = useMay('contributor')
  const open = (data ?? []).filter((one) => one.verdict === 'open').slice(0, 3)
  if (!mayWrite || open.length === 0) return null
  const failed = fromFinding.error ?? dismiss.error
  return (
    <section className="suggestions" aria-label="Suggested by the findings">
      <h3>Suggested by the findings</h3>
      {failed && <Problem compact error={failed} what="That was not saved" />}
      <ul>
        {open.map(({ finding }) => (
          <li key={finding.id} className="suggestion">
            <ShareBar value={finding.score} width={48} />
            <div className="suggestion-text">
              <strong>{finding.title}</strong>
              <div className="muted">{finding.why}</div>
            </div>
            <Button
              size="small"
              busy={fromFinding.isPending}
              onClick={() =>
                fromFinding.mutate(finding.id, { onSuccess: (made) => onMade(made.id) })
              }
            >
              Make hypothesis
            </Button>
            <Button
              size="small"
              variant="ghost"
              busy={dismiss.isPending}
              onClick={() => dismiss.mutate(finding.id)}
            >
              Dismiss
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}
