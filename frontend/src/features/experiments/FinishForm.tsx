/** The form that finishes a run: observation and verdict, next to the computed result. */
import { useStored } from '@/state/stored'
import { Button } from '@/ui/controls/Button'
import { EditableField } from '@/ui/controls/EditableField'
import { Problem } from '@/ui/display/States'
import { InspectorSection } from '@/ui/panels/Inspector'
import { ChangedSettings, Levels } from './Measurements'
import { FAILED_OPTIONS } from './failed'
import { type Experiment, type Finish, useExperimentWrites, useObserved } from './queries'

type Verdict = NonNullable<Finish['verdict']>

const VERDICTS: readonly (readonly [Seen['verdict'], string])[] = [
  ['', 'choose one'],
  ['match', 'match'],
  ['partial', 'partial'],
  ['miss', 'miss'],
  ['not_measurable', 'not measurable'],
]

type Seen = {
  readonly observed: string
  readonly value: string
  /** Empty until a person, or the computed result, decides: a default would be taken for a result. */
  readonly verdict: Verdict | ''
  readonly why: string
  readonly same: '' | NonNullable<Finish['failed_same_way']>
  readonly confidence: string
}

const UNSEEN: Seen = {
  observed: '',
  value: '',
  verdict: '',
  why: '',
  same: '',
  confidence: '',
}

type Props = { readonly incidentId: string; readonly experiment: Experiment }

/** The form; its draft is kept in this browser until it is saved. */
export function FinishForm({ incidentId, experiment }: Props) {
  const { finish } = useExperimentWrites(incidentId)
  const [seen, setSeen] = useStored(`draft.finish.${experiment.id}`, UNSEEN)
  const { observed, value, verdict, why, same, confidence } = seen
  const set = (change: Partial<Seen>) => setSeen({ ...seen, ...change })
  const run = useObserved(incidentId, experiment)
  const computedVerdict = run.data?.measured?.verdict
  const overrules = computedVerdict !== undefined && verdict !== '' && computedVerdict !== verdict
  const isWrong = [value, confidence].some((text) => Number.isNaN(numberOf(text)))
  const save = () =>
    // The form unmounts once it is saved, so remove its draft here.
    void finish
      .mutateAsync({
        experiment: experiment.id,
        body: {
          observation: { text: observed.trim(), value: numberOf(value) },
          verdict: verdict || null,
          overruled_because: overrules ? why.trim() : '',
          failed_same_way: same === '' ? null : same,
          conclusion: '',
          confidence: numberOf(confidence),
        },
      })
      .then(
        () => setSeen(UNSEEN),
        () => undefined, // the form shows the error
      )
  return (
    <InspectorSection title="Record the result">
      {finish.isError && <Problem compact error={finish.error} what="The result was not saved" />}
      {experiment.artifacts.length > 0 && (
        <Computed run={run} onTake={(data) => set(takenFrom(data))} />
      )}
      <EditableField
        label="Observation"
        rows={3}
        value={observed}
        onChange={(text) => set({ observed: text })}
      />
      <EditableField
        label="Value you read"
        hint="Shown as typed; add more values, or computed ones, under Measurements"
        inputMode="decimal"
        value={value}
        onChange={(text) => set({ value: text })}
      />
      <EditableField
        label="Verdict"
        options={VERDICTS}
        value={verdict}
        onChange={(text) => set({ verdict: text as Seen['verdict'] })}
      />
      {overrules && (
        <EditableField
          label="Why not the computed verdict"
          hint={`Computed verdict: ${computedVerdict.replace('_', ' ')}; both are shown`}
          value={why}
          onChange={(text) => set({ why: text })}
        />
      )}
      <EditableField
        label="Did it fail?"
        options={FAILED_OPTIONS}
        value={same}
        onChange={(text) => set({ same: text as Seen['same'] })}
      />
      {experiment.hypothesis_id && (
        <EditableField
          label="New confidence in the hypothesis"
          hint="Percent; leave empty for no change"
          inputMode="numeric"
          value={confidence}
          onChange={(text) => set({ confidence: text })}
        />
      )}
      <Button
        size="small"
        variant="primary"
        busy={finish.isPending}
        disabled={!observed.trim() || !verdict || isWrong || (overrules && !why.trim())}
        onClick={save}
      >
        Finish
      </Button>
    </InspectorSection>
  )
}

type Run = ReturnType<typeof useObserved>
type RunData = NonNullable<Run['data']>

/** The result computed from the attached artifacts, and a button that copies it into the form. */
function Computed({
  run,
  onTake,
}: {
  readonly run: Run
  readonly onTake: (data: RunData) => void
}) {
  const { data } = run
  return (
    <div className="experiment-computed" role="status">
      {run.isPending && <p className="muted">Computing from the attached artifacts…</p>}
      {run.isLoadingError && (
        <Problem compact error={run.error} what="The run could not be measured" />
      )}
      {data && (
        <>
          {data.measured ? (
            <p>{data.measured.text}</p>
          ) : (
            <p className="muted">The prediction names no series, so no number is computed.</p>
          )}
          <p className={data.trial.verdict === 'unknown' ? 'muted' : undefined}>
            {data.trial.text}
          </p>
          <p>{data.symptoms.text}</p>
          <Levels levels={data.levels} />
          <ChangedSettings settings={data.settings} />
          <Button size="small" onClick={() => onTake(data)}>
            Use the computed result
          </Button>
        </>
      )}
    </div>
  )
}

/** Return the form fields filled from the computed result. */
function takenFrom({ measured, symptoms, trial }: RunData): Partial<Seen> {
  const trialText = trial.verdict === 'unknown' ? null : trial.text
  return {
    observed: [measured?.text, trialText, symptoms.text].filter(Boolean).join(' '),
    ...(measured && {
      verdict: measured.verdict,
    }),
    same: symptoms.same_way,
  }
}

const numberOf = (text: string) => (text.trim() === '' ? null : Number(text))
