/** The board: suggestions at the left, a column per status, and the calibration of the team below. */
import { useQuery } from '@tanstack/react-query'
import { cx } from '@/ui/controls/cx'
import { EmptyState } from '@/ui/display/States'
import { Card } from './Card'
import { calibrationQuery, type Hypothesis, matrixQuery, type Status } from './queries'
import { Suggestions } from './Suggestions'

const COLUMNS: readonly (readonly [Status, string])[] = [
  ['proposed', 'Proposed'],
  ['active', 'Active'],
  ['supported', 'Supported'],
  ['refuted', 'Refuted'],
  ['inconclusive', 'Inconclusive'],
  ['superseded', 'Superseded'],
]
const ALWAYS: readonly Status[] = ['proposed', 'active', 'supported', 'refuted']

type Props = {
  readonly incidentId: string
  readonly hypotheses: readonly Hypothesis[]
  readonly open: string
  readonly onOpen: (id: string) => void
}

export function Board({ incidentId, hypotheses, open, onOpen }: Props) {
  const matrix = useQuery(matrixQuery(incidentId, 'consensus', null))
  const columns = COLUMNS.filter(
    ([status]) =>
      ALWAYS.includes(status) || hypotheses.some((hypothesis) => hypothesis.status === status),
  )
  return (
    <div className="board-row">
      <Suggestions incidentId={incidentId} onMade={onOpen} />
      <div className="board-main scroll">
        {hypotheses.length === 0 ? (
          <EmptyState title="No hypotheses yet">
            Write down a possible cause and what would disprove it, or start from a finding. Then
            pin evidence to it from any view.
          </EmptyState>
        ) : (
          <div className="board">
            {columns.map(([status, title]) => {
              const members = hypotheses.filter((hypothesis) => hypothesis.status === status)
              return (
                <section
                  key={status}
                  className={cx('board-column', members.length === 0 && 'board-column-empty')}
                  aria-label={title}
                >
                  <h3>
                    {title} <span className="faint">{members.length}</span>
                  </h3>
                  {members.map((member) => (
                    <Card
                      key={member.id}
                      hypothesis={member}
                      score={matrix.data?.hypotheses.find((h) => h.id === member.id) ?? null}
                      next={
                        matrix.data?.next?.pair.includes(member.label)
                          ? (matrix.data.next.steps.find((step) =>
                              step.text.includes(member.label),
                            ) ?? null)
                          : null
                      }
                      selected={member.id === open}
                      onOpen={() => onOpen(member.id)}
                    />
                  ))}
                </section>
              )
            })}
          </div>
        )}
        <CalibrationLine incidentId={incidentId} />
      </div>
    </div>
  )
}

/** The Brier score of past confidence, once hypotheses with confidence are decided. */
function CalibrationLine({ incidentId }: { readonly incidentId: string }) {
  const { data } = useQuery(calibrationQuery(incidentId))
  if (!data || data.brier === null) return null
  return (
    <p
      className="calibration muted"
      title="Mean squared difference between the last confidence before the decision and the outcome: 0 is perfect, 0.25 is a coin toss"
    >
      Calibration: Brier score <b>{data.brier.toFixed(2)}</b> over {data.forecasts.length}{' '}
      {data.forecasts.length === 1 ? 'forecast' : 'forecasts'}
      {data.people.length > 1 &&
        ` (${data.people.map((person) => `${person.by} ${person.brier.toFixed(2)}`).join(', ')})`}
      . A coin toss scores 0.25.
    </p>
  )
}
