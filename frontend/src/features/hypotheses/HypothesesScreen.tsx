/** The argument: what might be the cause, what speaks for and against it, how sure we are. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useMay } from '@/api/queries'
import { useIncidentId } from '@/state/incident'
import { text, useUrlState } from '@/state/url'
import { Button } from '@/ui/Button'
import { EmptyState, Problem, SkeletonRows } from '@/ui/States'
import { Card } from './Card'
import { Detail } from './Detail'
import { NewHypothesis } from './NewHypothesis'
import { hypothesesQuery, type Status } from './queries'
import { Suggestions } from './Suggestions'
import './hypotheses.css'

const COLUMNS: readonly (readonly [Status, string])[] = [
  ['proposed', 'Proposed'],
  ['active', 'Active'],
  ['supported', 'Supported'],
  ['refuted', 'Refuted'],
  ['inconclusive', 'Inconclusive'],
  ['superseded', 'Superseded'],
]
const ALWAYS: readonly Status[] = ['proposed', 'active', 'supported', 'refuted']

export default function HypothesesScreen() {
  const id = useIncidentId()
  const mayWrite = useMay('contributor')
  const [open, setOpen] = useUrlState('hypothesis', text, '')
  const [creating, setCreating] = useState(false)
  const { data, isPending, isError, error, refetch } = useQuery(hypothesesQuery(id))
  if (isError) {
    return (
      <Problem
        error={error}
        what="The hypotheses could not be read"
        onRetry={() => void refetch()}
      />
    )
  }
  if (isPending) return <SkeletonRows rows={8} />
  const chosen = data.find((one) => one.id === open)
  const columns = COLUMNS.filter(
    ([status]) => ALWAYS.includes(status) || data.some((one) => one.status === status),
  )
  return (
    <div className="hypotheses">
      <div className="hypotheses-main scroll">
        <header className="hypotheses-head">
          <h2>Hypotheses</h2>
          {mayWrite && (
            <Button variant="primary" onClick={() => setCreating(true)}>
              New hypothesis
            </Button>
          )}
        </header>
        <Suggestions incidentId={id} onMade={setOpen} />
        {data.length === 0 ? (
          <EmptyState title="No hypothesis yet">
            Write down what you think is the cause and what would show that it is not; or take one
            of the findings above. Then pin evidence to it from any view.
          </EmptyState>
        ) : (
          <div className="board">
            {columns.map(([status, title]) => {
              const members = data.filter((one) => one.status === status)
              return (
                <section key={status} className="board-column" aria-label={title}>
                  <h3>
                    {title} <span className="faint">{members.length}</span>
                  </h3>
                  {members.map((one) => (
                    <Card
                      key={one.id}
                      hypothesis={one}
                      selected={one.id === open}
                      onOpen={() => setOpen(one.id)}
                    />
                  ))}
                </section>
              )
            })}
          </div>
        )}
      </div>
      {chosen && (
        <Detail key={chosen.id} incidentId={id} hypothesis={chosen} onClose={() => setOpen(null)} />
      )}
      {creating && (
        <NewHypothesis incidentId={id} onClose={() => setCreating(false)} onMade={setOpen} />
      )}
    </div>
  )
}
