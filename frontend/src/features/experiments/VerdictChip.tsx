/** The verdict of an experiment. */
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
