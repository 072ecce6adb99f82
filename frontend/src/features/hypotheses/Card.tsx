/** One hypothesis on the board. */
import { ShareBar, Sparkline } from '@/ui/Bar'
import { Chip } from '@/ui/Chip'
import { cx } from '@/ui/cx'
import type { Hypothesis } from './queries'

type Props = { hypothesis: Hypothesis; selected: boolean; onOpen: () => void }

export function Card({ hypothesis, selected, onOpen }: Props) {
  const { evidence, history, confidence } = hypothesis
  const steps = history.flatMap((step) => (step.confidence === null ? [] : [step.confidence]))
  const count = (side: string) => evidence.filter((one) => one.side === side).length
  return (
    <button
      type="button"
      className={cx('card', selected && 'selected')}
      data-testid="hypothesis-card"
      aria-pressed={selected}
      onClick={onOpen}
    >
      <span className="card-statement">{hypothesis.statement}</span>
      <span className="card-line">
        <ShareBar value={confidence === null ? null : confidence / 100} width={80} />
        <strong data-testid="confidence-value">
          {confidence === null ? 'no opinion yet' : `${confidence} %`}
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
        {hypothesis.owner && <span>{hypothesis.owner}</span>}
        {hypothesis.needs_review && <Chip tone="waiting">needs review</Chip>}
        {evidence.some((one) => one.pin?.stale) && <Chip tone="waiting">stale pin</Chip>}
      </span>
      {hypothesis.experiments.length > 0 && (
        <span className="card-line faint">
          {hypothesis.experiments.length} experiment{hypothesis.experiments.length > 1 ? 's' : ''}
        </span>
      )}
    </button>
  )
}
