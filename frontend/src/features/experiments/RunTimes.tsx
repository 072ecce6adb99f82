/** When and where a run really ran, beside when it was recorded; and whether its prediction came first. */
import { useState } from 'react'
import { Button } from '@/ui/controls/Button'
import { Chip } from '@/ui/controls/Chip'
import { EditableField } from '@/ui/controls/EditableField'
import { HappenedField, useGiven } from '@/ui/controls/HappenedField'
import { typedHappened } from '@/ui/controls/happened'
import { Happened } from '@/ui/display/Happened'
import { Problem } from '@/ui/display/States'
import { Time } from '@/ui/display/Value'
import { InspectorSection } from '@/ui/panels/Inspector'
import { useZone } from '@/state/incident'
import { type Experiment, useExperimentWrites } from './queries'
import './story.css'

const PLACES = [
  ['host', 'Host'],
  ['build', 'Build'],
  ['cores', 'Cores'],
  ['dataset', 'Dataset'],
] as const

/** Whether the prediction was recorded before the run; nothing while the run is planned. */
export function PredictionStanding({ experiment }: { readonly experiment: Experiment }) {
  const { prediction_standing: standing, locked_at, predicted_at } = experiment
  if (standing === 'recorded_after')
    return (
      <p data-testid="prediction-lock">
        <Chip tone="waiting">recorded after the run</Chip>{' '}
        <span className="faint">
          <Time at={predicted_at ?? locked_at} zone />
        </span>
      </p>
    )
  if (standing !== 'locked' || !locked_at) return null
  return (
    <p className="faint" data-testid="prediction-lock">
      Locked <Time at={locked_at} zone />
    </p>
  )
}

export function RunTimes({
  incidentId,
  experiment,
  mayWrite,
}: {
  readonly incidentId: string
  readonly experiment: Experiment
  readonly mayWrite: boolean
}) {
  const { started_at, finished_at, began, ended, ran_from, ran_to, ran_precision } = experiment
  const places = PLACES.filter(([name]) => experiment[name])
  if (!started_at && !ran_from && places.length === 0 && !mayWrite) return null
  return (
    <InspectorSection title="Run">
      <dl className="story-facts">
        {(began ?? started_at) && (
          <>
            <dt>Began</dt>
            <dd>
              {began === null ? (
                <>
                  not known{' '}
                  <span className="faint">
                    (recorded <Time at={started_at} />)
                  </span>
                </>
              ) : (
                <Happened at={ran_from} precision={ran_precision} recorded={started_at} />
              )}
            </dd>
          </>
        )}
        {ended && (
          <>
            <dt>Ended</dt>
            <dd>
              <Happened at={ran_to} precision={ran_precision} recorded={finished_at} />
            </dd>
          </>
        )}
        {places.map(([name, label]) => (
          <div key={name} className="story-fact">
            <dt>{label}</dt>
            <dd>{experiment[name]}</dd>
          </div>
        ))}
      </dl>
      {mayWrite && (
        <EditRun key={experiment.revision} incidentId={incidentId} experiment={experiment} />
      )}
    </InspectorSection>
  )
}

function EditRun({
  incidentId,
  experiment,
}: {
  readonly incidentId: string
  readonly experiment: Experiment
}) {
  const zone = useZone()
  const { change } = useExperimentWrites(incidentId)
  const typed = (at: string | null) => typedHappened(at, experiment.ran_precision, zone.name)
  const [from, setFrom] = useState(typed(experiment.ran_from))
  const [to, setTo] = useState(typed(experiment.ran_to))
  const [places, setPlaces] = useState({
    host: experiment.host,
    build: experiment.build,
    cores: experiment.cores,
    dataset: experiment.dataset,
  })
  const [began, ended] = [useGiven(from), useGiven(to)]
  return (
    <details className="story-fold">
      <summary>When and where it ran</summary>
      {change.isError && <Problem compact error={change.error} what="The run was not changed" />}
      <div className="story-pair">
        <HappenedField label="Began" empty="when recorded" value={from} onChange={setFrom} />
        <HappenedField label="Ended" empty="when recorded" value={to} onChange={setTo} />
        {PLACES.map(([name, label]) => (
          <EditableField
            key={name}
            label={label}
            value={places[name]}
            onChange={(text) => setPlaces({ ...places, [name]: text })}
          />
        ))}
      </div>
      <Button
        size="small"
        busy={change.isPending}
        disabled={began === null || ended === null}
        onClick={() =>
          began &&
          ended &&
          change.mutate({
            experiment,
            change: {
              ...places,
              ran_from: began.at,
              ran_to: ended.at,
              ran_precision: began.at ? began.precision : ended.precision,
            },
          })
        }
      >
        Save
      </Button>
    </details>
  )
}

/** The buttons that start a planned run: now, or that it began before. */
export function StartRun({
  incidentId,
  experiment,
}: {
  readonly incidentId: string
  readonly experiment: Experiment
}) {
  const { start } = useExperimentWrites(incidentId)
  const [when, setWhen] = useState('')
  const began = useGiven(when)
  return (
    <>
      {start.isError && (
        <Problem compact error={start.error} what="The experiment was not started" />
      )}
      <details className="story-fold">
        <summary>The run already took place</summary>
        <HappenedField label="When did it begin?" value={when} onChange={setWhen} />
        <p className="faint">
          A prediction that was recorded later than this is shown as recorded after the run.
        </p>
      </details>
      <Button
        size="small"
        variant="primary"
        busy={start.isPending}
        disabled={began === null}
        onClick={() => began && start.mutate({ experiment: experiment.id, began })}
      >
        {began?.at ? 'Record the start' : 'Start and lock the prediction'}
      </Button>
    </>
  )
}
