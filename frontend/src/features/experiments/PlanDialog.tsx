/** Plan an experiment: one change, and what we expect to see. */
import { useQuery } from '@tanstack/react-query'
import type { ComponentProps } from 'react'
import { useStored } from '@/state/stored'
import { Button } from '@/ui/controls/Button'
import { Dialog } from '@/ui/panels/Dialog'
import { EditableField } from '@/ui/controls/EditableField'
import { Problem } from '@/ui/display/States'
import { bodyOf, type Draft, isDirection, problemsOf, SIGNS, STATISTICS } from './draft'
import { type Experiment, seriesNamesQuery, useExperimentWrites } from './queries'

const SUGGESTED = 2000

type Props = {
  incidentId: string
  hypotheses: readonly { id: string; statement: string }[]
  /** What the form begins with. */
  start: Draft
  /** Whence that is: 'run 3', 'the finding …'; empty when from nothing. */
  like: string
  /** The planned experiment that is changed; none: a new one. */
  was?: Experiment | undefined
  onClose: () => void
  onMade: (id: string) => void
}

type FieldProps = Omit<ComponentProps<typeof EditableField>, 'label' | 'value' | 'onChange'>

export function PlanDialog({ incidentId, hypotheses, start, like, was, onClose, onMade }: Props) {
  const { create, change } = useExperimentWrites(incidentId)
  const series = useQuery(seriesNamesQuery(incidentId))
  // One that is from nothing is kept; another begins with what there is by now.
  const kept = was || like ? null : `draft.plan.${incidentId}`
  const [draft, setDraft] = useStored(kept, start)
  const problems = problemsOf(draft)
  const direction = isDirection(draft)
  const onSuccess = (made: Experiment) => {
    setDraft(start)
    onMade(made.id)
    onClose()
  }
  const save = () =>
    was
      ? change.mutate({ experiment: was, change: bodyOf(draft) }, { onSuccess })
      : create.mutate(bodyOf(draft), { onSuccess })
  const failed = create.error ?? change.error
  /** A field of the draft with its label. */
  const field = (name: keyof Draft, label: string, more: FieldProps = {}) => (
    <EditableField
      label={label}
      problem={problems[name]}
      {...more}
      value={draft[name]}
      onChange={(text) => setDraft({ ...draft, [name]: text })}
    />
  )
  const choice = (
    name: 'hypothesis' | 'op' | 'statistic',
    label: string,
    options: readonly (readonly [value: string, word: string])[],
  ) => (
    <EditableField
      label={label}
      options={options}
      value={draft[name]}
      onChange={(text) => setDraft({ ...draft, [name]: text } as Draft)}
    />
  )
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={
        was
          ? `Change the plan of experiment ${was.number}`
          : like
            ? `Plan an experiment ${like}`
            : 'Plan an experiment'
      }
      width={680}
      footer={
        <Button
          variant="primary"
          busy={create.isPending || change.isPending}
          disabled={!draft.title.trim() || Object.keys(problems).length > 0}
          onClick={save}
        >
          {was ? 'Save the plan' : 'Plan it'}
        </Button>
      }
    >
      <div className="plan">
        {failed && <Problem compact error={failed} what="It was not saved" />}
        {field('title', 'Title', { autoFocus: true })}
        {choice('hypothesis', 'Hypothesis', [
          ['', 'none'],
          ...hypotheses.map((hypothesis) => [hypothesis.id, hypothesis.statement] as const),
        ])}
        {field('change', 'Change', {
          hint: 'One thing, as exactly as somebody else would need it',
          rows: 2,
        })}
        {field('prediction', 'Prediction', {
          hint: 'What you expect to see, with a number and a time; locked at the start',
          rows: 2,
        })}
        <fieldset className="plan-number">
          <legend>The number to compute from the run’s artifacts (optional)</legend>
          <div className="plan-wide">
            {field('metric', 'Series', { list: 'experiment-series' })}
            <datalist id="experiment-series">
              {(series.data ?? []).slice(0, SUGGESTED).map((id) => (
                <option key={id} value={id} />
              ))}
            </datalist>
          </div>
          {choice(
            'statistic',
            'Statistic',
            STATISTICS.map((name) => [name, name] as const),
          )}
          {choice('op', 'Sign', SIGNS)}
          {field('value', 'Value', { inputMode: 'decimal', disabled: direction })}
          {field('window', 'Within seconds', {
            inputMode: 'decimal',
            hint: 'Empty: the whole run',
          })}
          {field('limit', 'A miss beyond', {
            inputMode: 'decimal',
            hint: 'Empty: by the share of samples',
          })}
          {field('also', 'Also show', { hint: 'Other series ids' })}
        </fieldset>
        {field('falsifier', 'Falsified if', { rows: 2 })}
        <div className="plan-pair">
          {field('sweep', 'Sweep', { hint: 'Its runs share this name; empty: a run by itself' })}
          {field('parameters', 'Parameters of this run', {
            placeholder: 'tables=4, binary=patched',
            hint: 'What tells it from the other runs',
          })}
        </div>
        {field('risk', 'Risk and way back', { rows: 2 })}
      </div>
    </Dialog>
  )
}
