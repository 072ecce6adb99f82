/** The dialog that plans an experiment: one change and its predicted effect. */
import { useQuery } from '@tanstack/react-query'
import { type ComponentProps, useState } from 'react'
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
  /** Initial values of the form. */
  start: Draft
  /** Source of the initial values, such as 'like run 3'; empty for a blank form. */
  like: string
  /** The planned experiment to edit; undefined for a new one. */
  was?: Experiment | undefined
  onClose: () => void
  onMade: (id: string) => void
}

/** The fields that the form folds away. */
const FOLDED = [
  'metric',
  'value',
  'window',
  'limit',
  'also',
  'falsifier',
  'sweep',
  'parameters',
  'risk',
] as const satisfies readonly (keyof Draft)[]

type FieldProps = Omit<ComponentProps<typeof EditableField>, 'label' | 'value' | 'onChange'>

export function PlanDialog({ incidentId, hypotheses, start, like, was, onClose, onMade }: Props) {
  const { create, change } = useExperimentWrites(incidentId)
  const series = useQuery(seriesNamesQuery(incidentId))
  // Only the draft of a blank form is stored; others start from current data.
  const kept = was || like ? null : `draft.plan.${incidentId}`
  const [draft, setDraft] = useStored(kept, start)
  const problems = problemsOf(draft)
  // What was planned before shows all of itself, and a problem is never hidden.
  const [wasDetailed] = useState(() => Boolean(was) && FOLDED.some((name) => start[name].trim()))
  const unfolded = wasDetailed || FOLDED.some((name) => problems[name])
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
  /** Render a labelled field of the draft. */
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
          ? `Edit the plan of experiment ${was.number}`
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
        {failed && <Problem compact error={failed} what="The plan was not saved" />}
        {field('title', 'Title', { autoFocus: true })}
        {field('change', 'Change', {
          hint: 'One thing, precise enough for somebody else to repeat it',
          rows: 2,
        })}
        {field('prediction', 'Prediction', {
          hint: 'The expected result, with a number and a time; locked at the start',
          rows: 2,
        })}
        <details className="plan-more" open={unfolded || undefined}>
          <summary>More: hypothesis, a number to compute, sweep, risk</summary>
          {choice('hypothesis', 'Hypothesis', [
            ['', 'none'],
            ...hypotheses.map((hypothesis) => [hypothesis.id, hypothesis.statement] as const),
          ])}
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
            {field('limit', 'Tolerance', {
              inputMode: 'decimal',
              hint: 'Empty: by the share of samples',
            })}
            {field('also', 'Also show', { hint: 'Other series ids' })}
          </fieldset>
          {field('falsifier', 'Disproved if', { rows: 2 })}
          <div className="plan-pair">
            {field('sweep', 'Sweep', { hint: 'Name shared by its runs; empty for a single run' })}
            {field('parameters', 'Parameters of this run', {
              placeholder: 'tables=4, binary=patched',
              hint: 'What distinguishes it from the other runs',
            })}
          </div>
          {field('risk', 'Risk and rollback', { rows: 2 })}
        </details>
      </div>
    </Dialog>
  )
}
