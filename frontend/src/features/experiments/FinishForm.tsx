/** Ends a run: what was seen, and the verdict, next to what its artifacts show. */
import { useStored } from '@/state/stored'
import { Button } from '@/ui/controls/Button'
import { EditableField } from '@/ui/controls/EditableField'
import { Problem } from '@/ui/display/States'
import { InspectorSection } from '@/ui/panels/Inspector'
import { ChangedSettings, Levels } from './Measurements'
import { type Experiment, type Finish, useExperimentWrites, useObserved } from './queries'

type Verdict = NonNullable<Finish['verdict']>

const VERDICTS: readonly (readonly [Verdict, string])[] = [
  ['match', 'match'],
  ['partial', 'partial'],
  ['miss', 'miss'],
  ['not_measurable', 'not measurable'],
]

type Seen = {
  readonly observed: string
  readonly value: string
  readonly verdict: Verdict
  readonly why: string
  readonly same: '' | 'yes' | 'no' | 'unclear'
  readonly confidence: string
}

const UNSEEN: Seen = {
  observed: '',
  value: '',
  verdict: 'match',
  why: '',
  same: '',
  confidence: '',
}

const SAME_WAY = [
  ['', 'it did not fail, or does not apply'],
  ['yes', 'yes'],
  ['no', 'no'],
  ['unclear', 'unclear'],
] as const

type Props = { readonly incidentId: string; readonly experiment: Experiment }

/** What was seen; kept in this browser until it is saved. */
export function FinishForm({ incidentId, experiment }: Props) {
  const { finish } = useExperimentWrites(incidentId)
  const [seen, setSeen] = useStored(`draft.finish.${experiment.id}`, UNSEEN)
  const { observed, value, verdict, why, same, confidence } = seen
  const set = (change: Partial<Seen>) => setSeen({ ...seen, ...change })
  const run = useObserved(incidentId, experiment)
  const computedVerdict = run.data?.measured?.verdict
  const overrules = computedVerdict !== undefined && computedVerdict !== verdict
  const isWrong = [value, confidence].some((text) => Number.isNaN(numberOf(text)))
  const save = () =>
    // The form is gone once it is saved: its draft is forgotten all the same.
    void finish
      .mutateAsync({
        experiment: experiment.id,
        body: {
          observation: { text: observed.trim(), value: numberOf(value) },
          verdict,
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
    <InspectorSection title="Record what you saw">
      {finish.isError && <Problem compact error={finish.error} what="It was not saved" />}
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
        label="Measured value"
        inputMode="decimal"
        value={value}
        onChange={(text) => set({ value: text })}
      />
      <EditableField
        label="Verdict"
        options={VERDICTS}
        value={verdict}
        onChange={(text) => set({ verdict: text as Verdict })}
      />
      {overrules && (
        <EditableField
          label="Why not the computed verdict"
          hint={`The artifacts say ${computedVerdict.replace('_', ' ')}; both will be shown`}
          value={why}
          onChange={(text) => set({ why: text })}
        />
      )}
      <EditableField
        label="Did it fail the same way?"
        options={SAME_WAY}
        value={same}
        onChange={(text) => set({ same: text as Seen['same'] })}
      />
      {experiment.hypothesis_id && (
        <EditableField
          label="New confidence in the hypothesis"
          hint="Percent; empty leaves it as it is"
          inputMode="numeric"
          value={confidence}
          onChange={(text) => set({ confidence: text })}
        />
      )}
      <Button
        size="small"
        variant="primary"
        busy={finish.isPending}
        disabled={!observed.trim() || isWrong || (overrules && !why.trim())}
        onClick={save}
      >
        Finish
      </Button>
    </InspectorSection>
  )
}

type Run = ReturnType<typeof useObserved>
type RunData = NonNullable<Run['data']>

/** What the attached artifacts show, and the button that takes it into the form. */
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
            <p className="muted">The prediction names no series, so no number is run.</p>
          )}
          <p className={data.trial.verdict === 'unknown' ? 'muted' : undefined}>
            {data.trial.text}
          </p>
          <p>{data.symptoms.text}</p>
          <Levels levels={data.levels} />
          <ChangedSettings settings={data.settings} />
          <Button size="small" onClick={() => onTake(data)}>
            Take what the artifacts show
          </Button>
        </>
      )}
    </div>
  )
}

/** The fields of the form as the artifacts answer them. */
function takenFrom({ measured, symptoms, trial }: RunData): Partial<Seen> {
  const trialText = trial.verdict === 'unknown' ? null : trial.text
  return {
    observed: [measured?.text, trialText, symptoms.text].filter(Boolean).join(' '),
    ...(measured && {
      verdict: measured.verdict,
      value: measured.value === null ? '' : String(measured.value),
    }),
    same: symptoms.same_way,
  }
}

const numberOf = (text: string) => (text.trim() === '' ? null : Number(text))
