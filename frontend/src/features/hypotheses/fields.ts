/** The text fields of a hypothesis. */
import type { FieldSpec } from '@/ui/controls/useDrafts'
import type { Hypothesis, HypothesisChange } from './queries'

type FieldName = 'statement' | 'falsifier' | 'tags'

export const FIELDS: readonly (FieldSpec<FieldName, Hypothesis, HypothesisChange> & {
  /** Example shown in the form of a new hypothesis. */
  readonly example: string
})[] = [
  {
    name: 'statement',
    label: 'Statement',
    example: 'X causes Y because Z',
    rows: 3,
    textOf: (hypothesis) => hypothesis.statement,
    changeOf: (statement) => ({ statement }),
  },
  {
    name: 'falsifier',
    label: 'Disproved if',
    example: 'What you would see if it were wrong',
    rows: 2,
    textOf: (hypothesis) => hypothesis.falsifier,
    changeOf: (falsifier) => ({ falsifier }),
    quote: ['Disproved if', 'nothing yet'],
  },
  {
    name: 'tags',
    label: 'Mechanisms',
    example: 'Tags, with commas between: row lock, purge lag',
    hint: 'Tags, with commas between: row lock, purge lag',
    textOf: (hypothesis) => hypothesis.mechanisms.join(', '),
    changeOf: (text) => ({ mechanisms: tagsOf(text) }),
    quote: ['Mechanisms', 'none'],
  },
]

/** Parse "row lock, purge lag" into unique tags. */
export const tagsOf = (text: string) => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim())
      .filter(Boolean),
  ),
]
