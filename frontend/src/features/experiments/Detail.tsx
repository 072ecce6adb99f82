/** The inspector of an experiment: change, locked prediction, observation, conclusion. */
import { Link, useLocation } from 'react-router'
import { useMay } from '@/api/queries'
import { Button } from '@/ui/controls/Button'
import { Chip } from '@/ui/controls/Chip'
import { DeleteButton } from '@/ui/controls/DeleteButton'
import { rawLinesPath } from '@/ui/evidence/evidence'
import { Inspector, InspectorSection } from '@/ui/panels/Inspector'
import { LiveText } from '@/ui/text/LiveText'
import { AttachArtifacts } from './AttachArtifacts'
import { FAILED_WORDS } from './failed'
import { FinishForm } from './FinishForm'
import { Levels } from './Measurements'
import { Measures } from './Measures'
import type { Experiment } from './queries'
import { PredictionStanding, RunTimes, StartRun } from './RunTimes'
import { VerdictChip } from './VerdictChip'

type Props = {
  incidentId: string
  experiment: Experiment
  onClose: () => void
  onRunLike: () => void
  onChangePlan: () => void
}

export function Detail({ incidentId, experiment, onClose, onRunLike, onChangePlan }: Props) {
  const mayWrite = useMay('contributor')
  const { search } = useLocation()
  return (
    <Inspector
      title={`${experiment.number}. ${experiment.title}`}
      subtitle={experiment.state}
      onClose={onClose}
    >
      <InspectorSection title="Change">
        <p className="experiment-text">
          {experiment.change || <span className="muted">Not described.</span>}
        </p>
        {experiment.risk && <p className="muted">Risk and rollback: {experiment.risk}</p>}
      </InspectorSection>
      <InspectorSection title="Prediction">
        <p className="experiment-text">
          {experiment.prediction.text || <span className="muted">None yet.</span>}
        </p>
        {experiment.predicted && <p>{experiment.predicted}</p>}
        {experiment.prediction.falsifier && (
          <p className="muted">Disproved if: {experiment.prediction.falsifier}</p>
        )}
        <PredictionStanding experiment={experiment} />
        {mayWrite && experiment.state === 'planned' && (
          <>
            <StartRun incidentId={incidentId} experiment={experiment} />{' '}
            <Button size="small" onClick={onChangePlan}>
              Edit plan
            </Button>
          </>
        )}
      </InspectorSection>
      <RunTimes incidentId={incidentId} experiment={experiment} mayWrite={mayWrite} />
      {experiment.state === 'started' && mayWrite && (
        <FinishForm incidentId={incidentId} experiment={experiment} />
      )}
      {experiment.observation && (
        <InspectorSection title="Observation">
          <p className="experiment-outcome">
            <VerdictChip experiment={experiment} />
          </p>
          <p className="experiment-text">{experiment.observation.text}</p>
          {experiment.failed_same_way && (
            <p className="muted">The run {FAILED_WORDS[experiment.failed_same_way]}.</p>
          )}
          <Outcome experiment={experiment} />
        </InspectorSection>
      )}
      <Measures incidentId={incidentId} experiment={experiment} />
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
                  <span className="evidence-label">{pin.label}</span> {pin.title}
                </Link>
                {pin.stale && <Chip tone="waiting">stale</Chip>}
              </li>
            ))}
          </ul>
        </InspectorSection>
      )}
      <InspectorSection title={`Artifacts (${experiment.artifacts.length})`}>
        <ul>
          {experiment.artifacts.map((artifact) => (
            <li key={artifact.id}>
              <Link className="mono" to={rawLinesPath(incidentId, artifact.id, null, null, search)}>
                {artifact.path}
              </Link>
            </li>
          ))}
        </ul>
        {mayWrite && !experiment.computed && (
          <AttachArtifacts incidentId={incidentId} experiment={experiment} />
        )}
      </InspectorSection>
      {mayWrite && (
        <div className="experiment-foot">
          <Button size="small" onClick={onRunLike}>
            Plan a similar run
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

/** The verdict computed at the finish, next to that of the user. */
function Outcome({ experiment }: { experiment: Experiment }) {
  const { computed } = experiment
  if (!computed) return null
  return (
    <>
      {computed.measured && <p className="muted">{computed.measured.text}</p>}
      {experiment.overruled_because && (
        <p>
          Computed from the artifacts: {computed.measured?.verdict.replace('_', ' ')}; overruled
          because {experiment.overruled_because}
        </p>
      )}
      {computed.trial && <p className="muted">{computed.trial.text}</p>}
      {computed.symptoms && <p className="muted">{computed.symptoms.text}</p>}
      <Levels levels={computed.levels} />
    </>
  )
}
