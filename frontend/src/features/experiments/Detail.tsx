/** One experiment: change, locked prediction, observation, conclusion. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'react-router'
import { artifactsQuery, useMay } from '@/api/queries'
import { useStored } from '@/state/stored'
import { formatNumber } from '@/format'
import { Button } from '@/ui/controls/Button'
import { Chip } from '@/ui/controls/Chip'
import { DeleteButton } from '@/ui/controls/DeleteButton'
import { rawLinesPath } from '@/ui/evidence/evidence'
import { Field } from '@/ui/controls/Field'
import { Inspector, InspectorSection } from '@/ui/panels/Inspector'
import { LiveText } from '@/ui/text/LiveText'
import { Problem } from '@/ui/display/States'
import { Time } from '@/ui/display/Value'
import {
  useExperimentWrites,
  useObserved,
  type Experiment,
  type Finish,
  type Observed,
} from './queries'
import { predictedNumber, spread, summarise } from './sweep'
import { Measured, VerdictChip } from './VerdictChip'

type Props = {
  incidentId: string
  experiment: Experiment
  onClose: () => void
  onRunLike: () => void
  onChangePlan: () => void
}

export function Detail({ incidentId, experiment, onClose, onRunLike, onChangePlan }: Props) {
  const mayWrite = useMay('contributor')
  const { start } = useExperimentWrites(incidentId)
  const { search } = useLocation()
  return (
    <Inspector
      title={`${experiment.number}. ${experiment.title}`}
      subtitle={experiment.state}
      onClose={onClose}
    >
      <InspectorSection title="Change">
        <p className="experiment-text">
          {experiment.change || <span className="muted">Not written down.</span>}
        </p>
        {experiment.risk && <p className="muted">Risk and way back: {experiment.risk}</p>}
      </InspectorSection>
      <InspectorSection title="Prediction">
        <p className="experiment-text">
          {experiment.prediction.text || <span className="muted">None yet.</span>}
        </p>
        <Predicted prediction={experiment.prediction} />
        {experiment.prediction.falsifier && (
          <p className="muted">Falsified if: {experiment.prediction.falsifier}</p>
        )}
        {experiment.locked_at && (
          <p className="faint" data-testid="prediction-lock">
            Locked <Time at={experiment.locked_at} zone />
          </p>
        )}
        {mayWrite && experiment.state === 'planned' && (
          <>
            {start.isError && <Problem compact error={start.error} what="It was not started" />}
            <Button
              size="small"
              variant="primary"
              busy={start.isPending}
              onClick={() => start.mutate(experiment.id)}
            >
              Start and lock the prediction
            </Button>{' '}
            <Button size="small" onClick={onChangePlan}>
              Change the plan
            </Button>
          </>
        )}
      </InspectorSection>
      {experiment.state === 'started' && mayWrite && (
        <FinishForm incidentId={incidentId} experiment={experiment} />
      )}
      {experiment.observation && (
        <InspectorSection title="Observation">
          <p className="experiment-outcome">
            <VerdictChip experiment={experiment} />
            <Measured experiment={experiment} />
          </p>
          <p className="experiment-text">{experiment.observation.text}</p>
          {experiment.failed_same_way && (
            <p className="muted">Did it fail the same way? {experiment.failed_same_way}</p>
          )}
          <Kept experiment={experiment} />
        </InspectorSection>
      )}
      {experiment.state !== 'planned' && (
        <InspectorSection title="Conclusion">
          <LiveText
            incidentId={incidentId}
            textKey={`experiment/${experiment.id}/conclusion`}
            label="Conclusion"
          />
        </InspectorSection>
      )}
      {experiment.pins.length > 0 && (
        <InspectorSection title={`Evidence (${experiment.pins.length})`}>
          <ul>
            {experiment.pins.map((pin) => (
              <li key={pin.id}>
                <Link to={pin.view}>
                  <span className="card-label">{pin.label}</span> {pin.title}
                </Link>
                {pin.stale && <Chip tone="waiting">stale</Chip>}
              </li>
            ))}
          </ul>
        </InspectorSection>
      )}
      <InspectorSection title={`Artifacts (${experiment.artifacts.length})`}>
        <ul>
          {experiment.artifacts.map((one) => (
            <li key={one.id}>
              <Link className="mono" to={rawLinesPath(incidentId, one.id, null, null, search)}>
                {one.path}
              </Link>
            </li>
          ))}
        </ul>
        {mayWrite && !experiment.computed && (
          <Attach incidentId={incidentId} experiment={experiment} />
        )}
      </InspectorSection>
      {mayWrite && (
        <div className="experiment-foot">
          <Button size="small" onClick={onRunLike}>
            Run like this
          </Button>
          <DeleteButton
            incidentId={incidentId}
            kind="experiment"
            id={experiment.id}
            title={experiment.title}
            onDeleted={onClose}
          />
        </div>
      )}
    </Inspector>
  )
}

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

/** What was seen; kept in this browser until it is saved. */
function FinishForm({ incidentId, experiment }: { incidentId: string; experiment: Experiment }) {
  const { finish } = useExperimentWrites(incidentId)
  const [seen, setSeen] = useStored(`draft.finish.${experiment.id}`, UNSEEN)
  const { observed, value, verdict, why, same, confidence } = seen
  const computed = useObserved(incidentId, experiment)
  const take = () => {
    const { measured, symptoms, trial } = computed.data ?? {}
    const told = trial?.verdict === 'unknown' ? null : trial?.text
    setSeen({
      ...seen,
      observed: [measured?.text, told, symptoms?.text].filter(Boolean).join(' '),
      ...(measured && {
        verdict: measured.verdict,
        value: measured.value === null ? '' : String(measured.value),
      }),
      ...(symptoms && { same: symptoms.same_way }),
    })
  }
  const number = (text: string) => (text.trim() === '' ? null : Number(text))
  const said = computed.data?.measured?.verdict
  const overrules = said !== undefined && said !== verdict
  const wrong = [value, confidence].some((text) => Number.isNaN(number(text)))
  return (
    <InspectorSection title="Record what you saw">
      {finish.isError && <Problem compact error={finish.error} what="It was not saved" />}
      {experiment.artifacts.length > 0 && (
        <div className="experiment-computed" role="status">
          {computed.isPending && <p className="muted">Computing from the attached artifacts…</p>}
          {computed.isLoadingError && (
            <Problem compact error={computed.error} what="The run could not be measured" />
          )}
          {computed.data && (
            <>
              {computed.data.measured ? (
                <p>{computed.data.measured.text}</p>
              ) : (
                <p className="muted">The prediction names no series, so no number is computed.</p>
              )}
              <p className={computed.data.trial.verdict === 'unknown' ? 'muted' : undefined}>
                {computed.data.trial.text}
              </p>
              <p>{computed.data.symptoms.text}</p>
              <Levels levels={computed.data.levels} />
              <Changed settings={computed.data.settings} />
              <Button size="small" onClick={take}>
                Take what the artifacts show
              </Button>
            </>
          )}
        </div>
      )}
      <Field label="Observation">
        {(ids) => (
          <textarea
            {...ids}
            className="textarea"
            rows={3}
            value={observed}
            onChange={(event) => setSeen({ ...seen, observed: event.target.value })}
          />
        )}
      </Field>
      <Field label="Measured value">
        {(ids) => (
          <input
            {...ids}
            className="input"
            inputMode="decimal"
            value={value}
            onChange={(event) => setSeen({ ...seen, value: event.target.value })}
          />
        )}
      </Field>
      <Field label="Verdict">
        {(ids) => (
          <select
            {...ids}
            className="input"
            value={verdict}
            onChange={(event) => setSeen({ ...seen, verdict: event.target.value as Verdict })}
          >
            {VERDICTS.map(([key, word]) => (
              <option key={key} value={key}>
                {word}
              </option>
            ))}
          </select>
        )}
      </Field>
      {overrules && (
        <Field
          label="Why not the computed verdict"
          hint={`The artifacts say ${said.replace('_', ' ')}; both will be shown`}
        >
          {(ids) => (
            <input
              {...ids}
              className="input"
              value={why}
              onChange={(event) => setSeen({ ...seen, why: event.target.value })}
            />
          )}
        </Field>
      )}
      <Field label="Did it fail the same way?">
        {(ids) => (
          <select
            {...ids}
            className="input"
            value={same}
            onChange={(event) => setSeen({ ...seen, same: event.target.value as Seen['same'] })}
          >
            <option value="">it did not fail, or does not apply</option>
            <option>yes</option>
            <option>no</option>
            <option>unclear</option>
          </select>
        )}
      </Field>
      {experiment.hypothesis_id && (
        <Field label="New confidence in the hypothesis" hint="Percent; empty leaves it as it is">
          {(ids) => (
            <input
              {...ids}
              className="input"
              inputMode="numeric"
              value={confidence}
              onChange={(event) => setSeen({ ...seen, confidence: event.target.value })}
            />
          )}
        </Field>
      )}
      <Button
        size="small"
        variant="primary"
        busy={finish.isPending}
        disabled={!observed.trim() || wrong || (overrules && !why.trim())}
        onClick={() =>
          // The form is gone once it is saved: what it kept is forgotten all the same.
          void finish
            .mutateAsync({
              experiment: experiment.id,
              body: {
                observation: { text: observed.trim(), value: number(value) },
                verdict,
                overruled_because: overrules ? why.trim() : '',
                failed_same_way: same === '' ? null : same,
                conclusion: '',
                confidence: number(confidence),
              },
            })
            .then(
              () => setSeen(UNSEEN),
              () => undefined, // told above
            )
        }
      >
        Finish
      </Button>
    </InspectorSection>
  )
}

/** The number that was predicted, as the tool reads it. */
function Predicted({ prediction }: { prediction: Experiment['prediction'] }) {
  const told = predictedNumber(prediction)
  return told ? <p className="mono">{told}</p> : null
}

/** What the artifacts said at the finish, beside what the person decided. */
function Kept({ experiment }: { experiment: Experiment }) {
  const { computed } = experiment
  if (!computed) return null
  return (
    <>
      {computed.measured && <p className="muted">{computed.measured.text}</p>}
      {experiment.overruled_because && (
        <p>
          The artifacts say {computed.measured?.verdict.replace('_', ' ')}; overruled because{' '}
          {experiment.overruled_because}
        </p>
      )}
      {computed.trial && <p className="muted">{computed.trial.text}</p>}
      {computed.symptoms && <p className="muted">{computed.symptoms.text}</p>}
      <Levels levels={computed.levels} />
    </>
  )
}

/** Each series in the incident and in the run, with its spread and its samples. */
function Levels({ levels }: { levels: Observed['levels'] }) {
  const known = levels.filter((one) => one.run ?? one.incident)
  if (known.length === 0) return null
  return (
    <table className="experiment-levels" aria-label="Series in the incident and in the run">
      <thead>
        <tr>
          <th scope="col">Median ± MAD</th>
          <th scope="col">incident</th>
          <th scope="col">run</th>
          <th scope="col">ratio</th>
        </tr>
      </thead>
      <tbody>
        {known.map((one) => (
          <tr key={one.series}>
            <th scope="row" className="mono">
              {one.series}
            </th>
            <td className="num">{spread(summarise([one.incident]))}</td>
            <td className="num">{spread(summarise([one.run]))}</td>
            <td className="num">{one.ratio === null ? '–' : `× ${formatNumber(one.ratio, 2)}`}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const NAMED = 5

/** Whether what was to be changed had changed. */
function Changed({ settings }: { settings: Observed['settings'] }) {
  if (settings.length === 0) return null
  const more = settings.length - NAMED
  return (
    <div>
      <p className="muted">Settings that differ from the incident:</p>
      <ul>
        {settings.slice(0, NAMED).map((one) => (
          <li key={one.name} className="mono">
            {one.name}: {one.a} → {one.b}
          </li>
        ))}
        {more > 0 && <li className="faint">{more} more: compare the run on the Compare screen</li>}
      </ul>
    </div>
  )
}

const SHOWN = 50

function Attach({ incidentId, experiment }: { incidentId: string; experiment: Experiment }) {
  const { attach } = useExperimentWrites(incidentId)
  const { data } = useQuery(artifactsQuery(incidentId))
  const [filter, setFilter] = useState('')
  const attached = new Set(experiment.artifacts.map((one) => one.id))
  const found = filter
    ? (data?.items ?? []).filter((one) => one.path.toLowerCase().includes(filter.toLowerCase()))
    : []
  const toggle = (artifact: string) => {
    const next = new Set(attached)
    if (!next.delete(artifact)) next.add(artifact)
    attach.mutate({ experiment: experiment.id, artifacts: [...next] })
  }
  return (
    <>
      {attach.isError && <Problem compact error={attach.error} what="It was not attached" />}
      <Field label="Attach artifacts of the experiment">
        {(ids) => (
          <input
            {...ids}
            className="input"
            type="search"
            placeholder="part of a path"
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
          />
        )}
      </Field>
      <ul className="attach scroll">
        {found.slice(0, SHOWN).map((one) => (
          <li key={one.id}>
            <label>
              <input
                type="checkbox"
                checked={attached.has(one.id)}
                onChange={() => toggle(one.id)}
              />
              <span className="mono ellipsis" title={one.path}>
                {one.path}
              </span>
            </label>
          </li>
        ))}
        {found.length > SHOWN && <li className="faint">{found.length - SHOWN} more</li>}
      </ul>
    </>
  )
}
