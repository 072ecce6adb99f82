/** One hypothesis: its words, the ledger of confidence, the evidence on each side. */
import { useState } from 'react'
import { Link, useLocation } from 'react-router'
import { ApiProblem } from '@/api/problem'
import { useMay } from '@/api/queries'
import { Button, IconButton } from '@/ui/controls/Button'
import { Chip } from '@/ui/controls/Chip'
import { DeleteButton } from '@/ui/controls/DeleteButton'
import { experimentAt, experimentPath } from '@/ui/evidence/evidence'
import { Field } from '@/ui/controls/Field'
import { CloseIcon } from '@/ui/controls/icons'
import { Inspector, InspectorSection } from '@/ui/panels/Inspector'
import { LiveText } from '@/ui/text/LiveText'
import { Problem } from '@/ui/display/States'
import { type Draft, useDraft } from '@/ui/controls/useDraft'
import { Time } from '@/ui/display/Value'
import { Comments } from '@/ui/text/Comments'
import { useHypothesisWrites, type Hypothesis, type HypothesisChange, type Status } from './queries'

const SIDES = [
  ['for', 'For'],
  ['against', 'Against'],
  ['neutral', 'Neutral'],
] as const

type Props = {
  incidentId: string
  hypothesis: Hypothesis
  /** Every hypothesis: one of them may take this one's place. */
  all: readonly Hypothesis[]
  onClose: () => void
}

export function Detail({ incidentId, hypothesis, all, onClose }: Props) {
  const mayWrite = useMay('contributor')
  const writes = useHypothesisWrites(incidentId)
  const statement = useDraft(hypothesis.statement)
  const falsifier = useDraft(hypothesis.falsifier)
  const tags = useDraft(hypothesis.mechanisms.join(', '))
  const drafts = [statement, falsifier, tags]
  const changed = drafts.some((draft) => draft.typed !== null)
  // The revision that the draft was made from: a later save of somebody else is a conflict.
  const [revision, setRevision] = useState(hypothesis.revision)
  const conflict = writes.change.error instanceof ApiProblem && writes.change.error.isConflict
  const save = (change: HypothesisChange, from: number, saved?: () => void) =>
    writes.change.mutate({ id: hypothesis.id, revision: from, change }, { onSuccess: saved })
  const drop = () => {
    for (const draft of drafts) draft.drop()
    writes.change.reset()
  }
  // Only what was typed: what somebody else wrote in the other fields stays.
  const saveTyped = (from: number) =>
    save(
      {
        ...(statement.typed !== null && { statement: statement.typed }),
        ...(falsifier.typed !== null && { falsifier: falsifier.typed }),
        ...(tags.typed !== null && { mechanisms: tagsOf(tags.typed) }),
      },
      from,
      drop,
    )
  const edit = (draft: Draft) => (text: string) => {
    if (!changed) setRevision(hypothesis.revision)
    draft.type(text)
  }
  return (
    <Inspector
      title={`${hypothesis.label} · ${hypothesis.statement}`}
      subtitle={hypothesis.status}
      onClose={onClose}
    >
      {writes.change.isError && !conflict && (
        <Problem compact error={writes.change.error} what="It was not saved" />
      )}
      {conflict && (
        <div className="conflict" role="alert">
          <strong>Somebody else saved first.</strong> Your text is still below. It says now:
          {statement.typed !== null && <blockquote>{hypothesis.statement}</blockquote>}
          {falsifier.typed !== null && (
            <blockquote>Would be false if: {hypothesis.falsifier || 'nothing yet'}</blockquote>
          )}
          {tags.typed !== null && (
            <blockquote>Mechanisms: {hypothesis.mechanisms.join(', ') || 'none'}</blockquote>
          )}
          <Button size="small" onClick={() => saveTyped(hypothesis.revision)}>
            Save mine over it
          </Button>{' '}
          <Button size="small" onClick={drop}>
            Take theirs
          </Button>
        </div>
      )}
      <InspectorSection title="Statement">
        <Field label="Statement">
          {(ids) => (
            <textarea
              {...ids}
              className="textarea"
              rows={3}
              readOnly={!mayWrite}
              value={statement.shown}
              onChange={(event) => edit(statement)(event.target.value)}
            />
          )}
        </Field>
        <Field label="Would be false if">
          {(ids) => (
            <textarea
              {...ids}
              className="textarea"
              rows={2}
              readOnly={!mayWrite}
              value={falsifier.shown}
              onChange={(event) => edit(falsifier)(event.target.value)}
            />
          )}
        </Field>
        <Field label="Mechanisms" hint="Tags, with commas between: row lock, purge lag">
          {(ids) => (
            <input
              {...ids}
              className="input"
              readOnly={!mayWrite}
              value={tags.shown}
              onChange={(event) => edit(tags)(event.target.value)}
            />
          )}
        </Field>
        {changed && (
          <Button
            size="small"
            variant="primary"
            busy={writes.change.isPending}
            onClick={() => saveTyped(revision)}
          >
            Save
          </Button>
        )}
      </InspectorSection>
      <InspectorSection title="Notes">
        <LiveText
          incidentId={incidentId}
          textKey={`hypothesis/${hypothesis.id}/notes`}
          label="Notes"
          placeholder="What speaks for it, what is still open"
        />
      </InspectorSection>
      {mayWrite && (
        <StatusChange
          hypothesis={hypothesis}
          others={all.filter((one) => one.id !== hypothesis.id)}
          busy={writes.change.isPending}
          onChange={(change) => save(change, hypothesis.revision)}
        />
      )}
      {mayWrite && <Confide incidentId={incidentId} hypothesis={hypothesis} />}
      <Experiments incidentId={incidentId} hypothesis={hypothesis} mayWrite={mayWrite} />
      <InspectorSection title="Confidence over time">
        <ol className="ledger">
          {[...hypothesis.history].reverse().map((step, index) => (
            <li key={index} data-testid="ledger-step">
              <strong>{step.confidence === null ? '–' : `${step.confidence} %`}</strong>{' '}
              <span className="muted">
                <Time at={step.at} />, {step.by}, {step.status}
              </span>
              <div>{step.reason}</div>
            </li>
          ))}
        </ol>
      </InspectorSection>
      {SIDES.map(([side, title]) => {
        const members = hypothesis.evidence.filter((one) => one.side === side)
        if (members.length === 0 && side === 'neutral') return null
        return (
          <InspectorSection key={side} title={`${title} (${members.length})`}>
            {members.length === 0 && (
              <p className="muted">Nothing yet: use “Pin as evidence” in any view.</p>
            )}
            <ul className="evidence-list">
              {members.map((one) => (
                <li key={one.id} data-testid="evidence-item">
                  <div className="evidence-line">
                    {one.pin ? (
                      <Link to={one.pin.view}>
                        <span className="card-label">{one.pin.label}</span> {one.pin.title}
                      </Link>
                    ) : (
                      'a withdrawn pin'
                    )}
                    {one.pin?.stale && <Chip tone="waiting">stale</Chip>}
                    {mayWrite && (
                      <IconButton
                        size="small"
                        label={`Take off: ${one.pin?.title ?? 'evidence'}`}
                        icon={<CloseIcon />}
                        onClick={() =>
                          writes.removeEvidence.mutate({ id: hypothesis.id, evidence: one.id })
                        }
                      />
                    )}
                  </div>
                  {one.note && one.note !== one.pin?.title && <div>{one.note}</div>}
                  {one.pin?.stale && one.pin.now_value && (
                    <div className="muted">
                      Was: {one.pin.value}. Now: {one.pin.now_value}
                    </div>
                  )}
                  {one.pin?.excerpt && <pre className="excerpt">{one.pin.excerpt}</pre>}
                </li>
              ))}
            </ul>
          </InspectorSection>
        )
      })}
      {mayWrite && (
        <DeleteButton
          incidentId={incidentId}
          kind="hypothesis"
          id={hypothesis.id}
          title={hypothesis.statement}
          onDeleted={onClose}
        />
      )}
      {writes.removeEvidence.isError && (
        <Problem compact error={writes.removeEvidence.error} what="The evidence stays" />
      )}
      <Comments incidentId={incidentId} subject={`hypothesis:${hypothesis.id}`} />
    </Inspector>
  )
}

const tagsOf = (text: string) => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim())
      .filter(Boolean),
  ),
]

/** To what the status may change, with the reason and the pin that go into the ledger. */
function StatusChange({
  hypothesis,
  others,
  busy,
  onChange,
}: {
  hypothesis: Hypothesis
  others: readonly Hypothesis[]
  busy: boolean
  onChange: (change: HypothesisChange) => void
}) {
  const [to, setTo] = useState<Status | ''>('')
  const [reason, setReason] = useState('')
  const [pin, setPin] = useState('')
  const [other, setOther] = useState('')
  const pins = hypothesis.evidence.flatMap((one) => (one.pin ? [one.pin] : []))
  return (
    <InspectorSection title="Status">
      <Field
        label={`It is ${hypothesis.status}`}
        hint={to === 'refuted' && pins.length === 0 ? 'Refuting needs at least one pin' : undefined}
      >
        {(ids) => (
          <select
            {...ids}
            className="select"
            aria-label="Status"
            value={to}
            onChange={(event) => setTo(event.target.value as Status | '')}
          >
            <option value="">Leave it</option>
            {hypothesis.may_become.map((status) => (
              <option key={status} value={status}>
                Make it {status}
              </option>
            ))}
          </select>
        )}
      </Field>
      {to && (
        <>
          {to === 'superseded' && (
            <Field label="What takes its place">
              {(ids) => (
                <select
                  {...ids}
                  className="select"
                  value={other}
                  onChange={(event) => setOther(event.target.value)}
                >
                  <option value="">nothing in particular</option>
                  {others.map((one) => (
                    <option key={one.id} value={one.id}>
                      {one.label} {one.statement.slice(0, 60)}
                    </option>
                  ))}
                </select>
              )}
            </Field>
          )}
          <Field label="Why">
            {(ids) => (
              <textarea
                {...ids}
                className="textarea"
                rows={2}
                value={reason}
                onChange={(event) => setReason(event.target.value)}
              />
            )}
          </Field>
          {pins.length > 0 && <PinChoice pins={pins} value={pin} onChange={setPin} />}
          <Button
            size="small"
            variant="primary"
            busy={busy}
            disabled={to === 'refuted' && pins.length === 0}
            onClick={() => {
              onChange({
                status: to,
                ...(reason.trim() ? { reason: reason.trim() } : {}),
                ...(pin ? { pin_id: pin } : {}),
                ...(to === 'superseded' && other ? { superseded_by_id: other } : {}),
              })
              setTo('')
              setReason('')
            }}
          >
            Make it {to}
          </Button>
        </>
      )}
    </InspectorSection>
  )
}

function PinChoice({
  pins,
  value,
  onChange,
}: {
  pins: readonly { readonly id: string; readonly label: string; readonly title: string }[]
  value: string
  onChange: (pin: string) => void
}) {
  return (
    <Field label="Because of">
      {(ids) => (
        <select
          {...ids}
          className="select"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        >
          <option value="">no pin</option>
          {pins.map((one) => (
            <option key={one.id} value={one.id}>
              {one.label} {one.title}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

function Confide({ incidentId, hypothesis }: { incidentId: string; hypothesis: Hypothesis }) {
  const { confide } = useHypothesisWrites(incidentId)
  const [value, setValue] = useState(hypothesis.confidence ?? 50)
  const [reason, setReason] = useState('')
  const [pin, setPin] = useState('')
  const pins = hypothesis.evidence.flatMap((one) => (one.pin ? [one.pin] : []))
  return (
    <InspectorSection title="How sure are you?">
      {confide.isError && <Problem compact error={confide.error} what="It was not saved" />}
      <Field label={`Confidence: ${value} %`}>
        {(ids) => (
          <input
            {...ids}
            type="range"
            min={0}
            max={100}
            step={5}
            value={value}
            onChange={(event) => setValue(Number(event.target.value))}
          />
        )}
      </Field>
      <Field label="Reason">
        {(ids) => (
          <textarea
            {...ids}
            className="textarea"
            rows={2}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        )}
      </Field>
      {pins.length > 0 && <PinChoice pins={pins} value={pin} onChange={setPin} />}
      <Button
        size="small"
        variant="primary"
        disabled={!reason.trim()}
        busy={confide.isPending}
        onClick={() =>
          confide.mutate(
            { id: hypothesis.id, confidence: value, reason: reason.trim(), pin_id: pin || null },
            { onSuccess: () => setReason('') },
          )
        }
      >
        Set confidence
      </Button>
    </InspectorSection>
  )
}

/** Each opens by itself; the next one begins with what would refute this hypothesis. */
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
        <ul className="plain-list">
          {experiments.map((one) => (
            <li key={one.id}>
              <Link to={experimentAt(incidentId, one.id, search)}>{one.title}</Link>{' '}
              <span className="muted">{one.verdict?.replace('_', ' ') ?? 'not finished'}</span>
            </li>
          ))}
        </ul>
      )}
      {mayWrite && (
        <Link to={experimentPath(incidentId, `hypothesis:${hypothesis.id}`, search)}>
          Plan an experiment for it
        </Link>
      )}
    </InspectorSection>
  )
}
