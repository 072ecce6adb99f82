/** The inspector of a matrix cell: evidence, ratings, the proposed rating, comments. */
import { Link } from 'react-router'
import { useMay } from '@/api/queries'
import { Button } from '@/ui/controls/Button'
import { Comments } from '@/ui/text/Comments'
import { Inspector, InspectorSection } from '@/ui/panels/Inspector'
import { Problem } from '@/ui/display/States'
import { Time } from '@/ui/display/Value'
import { type MatrixHypothesis, type MatrixRow, RATINGS, shapeOf, wordsOf } from './matrix'
import { useMatrixWrites } from './queries'

type Props = {
  readonly incidentId: string
  readonly row: MatrixRow
  readonly hypothesis: MatrixHypothesis
  readonly mayOpen: boolean
  readonly frozen: boolean
  readonly writing: boolean
  readonly onWritten: () => void
  readonly onClose: () => void
}

export function CellPanel(props: Props) {
  const { incidentId, row, hypothesis, mayOpen, frozen, writing, onWritten, onClose } = props
  const mayWrite = useMay('contributor') && !frozen
  const { rate, open } = useMatrixWrites(incidentId)
  const cell = row.cells.find((cell) => cell.hypothesis_id === hypothesis.id)
  if (!cell) return null
  const ids = { pin_id: row.pin_id, hypothesis_id: hypothesis.id }
  const proposed = cell.proposed
  return (
    <Inspector
      title={`${row.label} under ${hypothesis.label}`}
      subtitle="If this hypothesis were true, would you see this evidence?"
      onClose={onClose}
    >
      <InspectorSection title={row.label}>
        <Link to={row.view}>{row.title}</Link>
      </InspectorSection>
      <InspectorSection title={hypothesis.label}>{hypothesis.statement}</InspectorSection>
      <InspectorSection title="Your rating">
        {(rate.error ?? open.error) && (
          <Problem compact error={rate.error ?? open.error} what="The rating was not saved" />
        )}
        {proposed && (
          <div className="matrix-proposal">
            <div>
              Proposed by {proposed.rule}: <b>{wordsOf(proposed.rating)}</b>
            </div>
            <div className="muted">{proposed.why}</div>
            {mayWrite && (
              <Button
                size="small"
                busy={rate.isPending}
                onClick={() =>
                  rate.mutate({ ...ids, rating: proposed.rating, proposed_by: proposed.rule })
                }
              >
                Accept
              </Button>
            )}
          </div>
        )}
        <div className="matrix-choices" role="group" aria-label="Your rating">
          {RATINGS.map(({ rating, key, words }) => (
            <button
              key={rating}
              type="button"
              className="matrix-choice"
              disabled={!mayWrite}
              aria-pressed={cell.mine === rating}
              onClick={() => rate.mutate({ ...ids, rating, proposed_by: null })}
            >
              <span className="matrix-letter">
                <span aria-hidden="true">{shapeOf(rating)}</span> {rating}
              </span>
              <span>{words}</span>
              <kbd>{key}</kbd>
            </button>
          ))}
        </div>
        {cell.mine && mayWrite && (
          <Button
            size="small"
            variant="ghost"
            onClick={() => rate.mutate({ ...ids, rating: null, proposed_by: null })}
          >
            Clear
          </Button>
        )}
      </InspectorSection>
      <InspectorSection title="Everybody">
        {cell.blind ? (
          <p className="muted">
            Others rated this cell. Their ratings appear after you rate it
            {mayOpen && mayWrite ? ' or reveal it.' : '.'}
          </p>
        ) : cell.votes.length === 0 ? (
          <p className="muted">No ratings yet.</p>
        ) : (
          <ul className="matrix-votes">
            {cell.votes.map((vote) => (
              <li key={vote.by + vote.at}>
                <span className="matrix-letter">
                  <span aria-hidden="true">{shapeOf(vote.rating)}</span> {vote.rating}
                </span>
                <span>{vote.mine ? 'you' : vote.by}</span>
                <span className="faint">
                  <Time at={vote.at} />
                </span>
              </li>
            ))}
          </ul>
        )}
        {cell.blind && mayOpen && mayWrite && (
          <Button size="small" busy={open.isPending} onClick={() => open.mutate(ids)}>
            Reveal ratings to everybody
          </Button>
        )}
      </InspectorSection>
      <Comments
        incidentId={incidentId}
        subject={`cell:${row.pin_id}/${hypothesis.id}`}
        writing={writing}
        onWritten={onWritten}
      />
    </Inspector>
  )
}
