/** The card of a hypothesis on the board. */
import { ShareBar, Sparkline } from '@/ui/display/Bar'
import { Chip } from '@/ui/controls/Chip'
import { cx } from '@/ui/controls/cx'
import type { Matrix, MatrixHypothesis } from './matrix'
import type { Hypothesis } from './queries'

type Props = {
  readonly hypothesis: Hypothesis
  readonly score: MatrixHypothesis | null
  readonly next: NonNullable<Matrix['next']>['steps'][number] | null
  readonly selected: boolean
  readonly onOpen: () => void
}

export function Card({ hypothesis, score, next, selected, onOpen }: Props) {
  const { evidence, history, confidence } = hypothesis
  const steps = history.flatMap((step) => (step.confidence === null ? [] : [step.confidence]))
  const count = (side: string) => evidence.filter((item) => item.side === side).length
  const running = hypothesis.experiments.length
  return (
    <button
      type="button"
      className={cx('card', selected && 'selected')}
      data-testid="hypothesis-card"
      aria-pressed={selected}
      onClick={onOpen}
    >
      <span className="card-statement">
        <span className="evidence-label">{hypothesis.label}</span> {hypothesis.statement}
      </span>
      <span className="card-line">
        <ShareBar value={confidence === null ? null : confidence / 100} width={80} />
        <strong data-testid="confidence-value">
          {confidence === null ? 'no opinion yet' : `${confidence}%`}
        </strong>
        {steps.length > 1 && (
          <Sparkline
            values={steps}
            width={56}
            height={16}
            label={`Confidence over time: ${steps.join(', ')} percent`}
          />
        )}
      </span>
      <span className="card-line muted">
        <span>+ {count('for')} for</span>
        <span>− {count('against')} against</span>
        {score?.rank != null && (
          <span title="Weighted contradicting evidence in the matrix; lower is better">
            contradicted {score.inconsistency.toFixed(1)}
            {score.leads && <b> · leads</b>}
          </span>
        )}
        {running > 0 && (
          <span>
            {running} experiment{running > 1 ? 's' : ''}
          </span>
        )}
        {hypothesis.owner && <span>{hypothesis.owner}</span>}
      </span>
      {(hypothesis.mechanisms.length > 0 ||
        hypothesis.needs_review ||
        hypothesis.superseded_by ||
        evidence.some((item) => item.pin?.stale)) && (
        <span className="card-line">
          {hypothesis.needs_review && <Chip tone="waiting">needs review</Chip>}
          {evidence.some((item) => item.pin?.stale) && <Chip tone="waiting">stale pin</Chip>}
          {hypothesis.superseded_by && <Chip>now {hypothesis.superseded_by}</Chip>}
          {hypothesis.mechanisms.map((tag) => (
            <Chip key={tag}>{tag}</Chip>
          ))}
        </span>
      )}
      {next && (
        <span className="card-next" title={next.why}>
          {next.text}
        </span>
      )}
    </button>
  )
}
