/** The inspector of a hypothesis: text, confidence history, evidence for and against. */
import { Link, useLocation } from 'react-router'
import { useMay } from '@/api/queries'
import { DeleteButton } from '@/ui/controls/DeleteButton'
import { DraftConflict, DraftFields } from '@/ui/controls/DraftFields'
import { useDrafts } from '@/ui/controls/useDrafts'
import { Problem } from '@/ui/display/States'
import { experimentAt, experimentPath } from '@/ui/evidence/evidence'
import { offerUndo } from '@/ui/history/undo'
import { Inspector, InspectorSection } from '@/ui/panels/Inspector'
import { Comments } from '@/ui/text/Comments'
import { LiveText } from '@/ui/text/LiveText'
import { ConfidenceLedger, SetConfidence } from './Confidence'
import { EvidenceSides } from './EvidenceSides'
import { FIELDS } from './fields'
import { type Hypothesis, type HypothesisChange, useHypothesisWrites } from './queries'
import { StatusChange } from './StatusChange'

type Props = {
  incidentId: string
  hypothesis: Hypothesis
  /** All hypotheses: one of them may supersede this one. */
  all: readonly Hypothesis[]
  onClose: () => void
}

export function Detail({ incidentId, hypothesis, all, onClose }: Props) {
  const mayWrite = useMay('contributor')
  const { change, addEvidence, removeEvidence } = useHypothesisWrites(incidentId)
  const save = (next: HypothesisChange, revision: number, onSaved?: () => void) =>
    change.mutate({ id: hypothesis.id, revision, change: next }, { onSuccess: onSaved })
  const remove = ({ id: evidence, pin, side, note }: Hypothesis['evidence'][number]) =>
    removeEvidence.mutate(
      { id: hypothesis.id, evidence },
      {
        onSuccess: () =>
          pin &&
          offerUndo(`Removed from ${hypothesis.label}: ${pin.label} ${pin.title}`, () =>
            addEvidence.mutateAsync({
              id: hypothesis.id,
              evidence: { pin_id: pin.id, side, note },
            }),
          ),
      },
    )
  const changeStatus = (next: HypothesisChange) =>
    change.mutate(
      { id: hypothesis.id, revision: hypothesis.revision, change: next },
      {
        onSuccess: (changed) => {
          const back = hypothesis.status
          if (!changed.may_become.includes(back)) return
          offerUndo(`${hypothesis.label} is ${changed.status} now`, () =>
            change.mutateAsync({
              id: hypothesis.id,
              revision: changed.revision,
              change: { status: back, reason: 'Undone' },
            }),
          )
        },
      },
    )
  const drafts = useDrafts(FIELDS, hypothesis, { ...change, save })
  return (
    <Inspector
      title={`${hypothesis.label} · ${hypothesis.statement}`}
      subtitle={hypothesis.status}
      onClose={onClose}
    >
      {drafts.failure && (
        <Problem compact error={drafts.failure} what="The hypothesis was not saved" />
      )}
      <DraftConflict drafts={drafts} />
      <InspectorSection title="Hypothesis">
        <DraftFields drafts={drafts} readOnly={!mayWrite} />
      </InspectorSection>
      <InspectorSection title="Notes">
        <LiveText
          incidentId={incidentId}
          textKey={`hypothesis/${hypothesis.id}/notes`}
          label="Notes"
          placeholder="Arguments and open questions"
        />
      </InspectorSection>
      {mayWrite && (
        <StatusChange
          hypothesis={hypothesis}
          others={all.filter((other) => other.id !== hypothesis.id)}
          busy={change.isPending}
          onChange={changeStatus}
        />
      )}
      {mayWrite && <SetConfidence incidentId={incidentId} hypothesis={hypothesis} />}
      <Experiments incidentId={incidentId} hypothesis={hypothesis} mayWrite={mayWrite} />
      <ConfidenceLedger hypothesis={hypothesis} />
      <EvidenceSides hypothesis={hypothesis} onRemove={mayWrite ? remove : undefined} />
      {mayWrite && (
        <DeleteButton
          incidentId={incidentId}
          kind="hypothesis"
          id={hypothesis.id}
          title={hypothesis.statement}
          onDeleted={onClose}
        />
      )}
      {removeEvidence.isError && (
        <Problem compact error={removeEvidence.error} what="The evidence was not removed" />
      )}
      <Comments incidentId={incidentId} subject={`hypothesis:${hypothesis.id}`} />
    </Inspector>
  )
}

/** The experiments of the hypothesis; a new one starts from its falsifier. */
function Experiments({
  incidentId,
  hypothesis,
  mayWrite,
}: Pick<Props, 'incidentId' | 'hypothesis'> & { readonly mayWrite: boolean }) {
  const { search } = useLocation()
  const { experiments } = hypothesis
  if (experiments.length === 0 && !mayWrite) return null
  return (
    <InspectorSection title="Experiments">
      {experiments.length > 0 && (
        <ul className="dot-list">
          {experiments.map((experiment) => (
            <li key={experiment.id}>
              <Link to={experimentAt(incidentId, experiment.id, search)}>{experiment.title}</Link>{' '}
              <span className="muted">
                {experiment.verdict?.replace('_', ' ') ?? 'not finished'}
              </span>
            </li>
          ))}
        </ul>
      )}
      {mayWrite && (
        <Link to={experimentPath(incidentId, `hypothesis:${hypothesis.id}`, search)}>
          Plan an experiment
        </Link>
      )}
    </InspectorSection>
  )
}
