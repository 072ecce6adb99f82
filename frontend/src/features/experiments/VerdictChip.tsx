/** The verdict of an experiment, and its measured number. */
import { formatNumber } from '@/format'
import { Chip, type Tone } from '@/ui/controls/Chip'
import type { Experiment } from './queries'

const WORDS: Record<string, readonly [string, Tone, string]> = {
  match: ['match', 'running', '✓'],
  partial: ['partial', 'waiting', '◐'],
  miss: ['miss', 'holding', '✕'],
  not_measurable: ['not measurable', 'idle', '?'],
}

export function VerdictChip({ experiment }: { readonly experiment: Experiment }) {
  if (experiment.verdict === null) return <Chip>{experiment.state}</Chip>
  const [word, tone, mark] = WORDS[experiment.verdict] ?? [experiment.verdict, 'plain', '']
  return (
    <Chip tone={tone} mark={mark}>
      {word}
    </Chip>
  )
}

/** The measured number: computed from the artifacts, else entered by the user. */
export function Measured({ experiment }: { readonly experiment: Experiment }) {
  const computed = experiment.computed?.measured
  const typed = experiment.observation?.value ?? null
  if (computed?.value != null) {
    return (
      <span className="measured" title={computed.text}>
        {experiment.prediction.statistic ?? 'median'} <b>{formatNumber(computed.value, 2)}</b>{' '}
        <span className="faint">
          computed, n {formatNumber(computed.points)}
          {computed.p95 !== null && `, p95 ${formatNumber(computed.p95, 2)}`}
        </span>
      </span>
    )
  }
  if (typed === null) return null
  return (
    <span className="measured">
      <b>{formatNumber(typed, 2)}</b> <span className="faint">typed</span>
    </span>
  )
}
