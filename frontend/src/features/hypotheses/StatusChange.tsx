/** The form that changes the status, with the reason and the pin for the history. */
import { useState } from 'react'
import { Button } from '@/ui/controls/Button'
import { EditableField } from '@/ui/controls/EditableField'
import { HappenedField, useGiven } from '@/ui/controls/HappenedField'
import { InspectorSection } from '@/ui/panels/Inspector'
import { PinChoice, pinsOf } from './PinChoice'
import type { Hypothesis, HypothesisChange, Status } from './queries'

export function StatusChange({
  hypothesis,
  others,
  busy,
  onChange,
}: {
  readonly hypothesis: Hypothesis
  readonly others: readonly Hypothesis[]
  readonly busy: boolean
  readonly onChange: (change: HypothesisChange) => void
}) {
  const [to, setTo] = useState<Status | ''>('')
  const [reason, setReason] = useState('')
  const [pin, setPin] = useState('')
  const [successor, setSuccessor] = useState('')
  const [when, setWhen] = useState('')
  const happened = useGiven(when)
  const pins = pinsOf(hypothesis)
  const lacksPin = to === 'refuted' && pins.length === 0
  const apply = () => {
    if (!to || happened === null) return
    onChange({
      status: to,
      ...(reason.trim() ? { reason: reason.trim() } : {}),
      ...(pin ? { pin_id: pin } : {}),
      ...(happened.at ? { happened_at: happened.at, happened_precision: happened.precision } : {}),
      ...(to === 'superseded' && successor ? { superseded_by_id: successor } : {}),
    })
    setTo('')
    setReason('')
    setWhen('')
  }
  return (
    <InspectorSection title="Status">
      <EditableField
        label={`Current: ${hypothesis.status}`}
        hint={lacksPin ? 'Refuting needs at least one pin' : undefined}
        aria-label="Status"
        value={to}
        onChange={(status) => setTo(status as Status | '')}
        options={[
          ['', 'No change'],
          ...hypothesis.may_become.map((status) => [status, `Change to ${status}`] as const),
        ]}
      />
      {to === 'superseded' && (
        <EditableField
          label="Superseded by"
          value={successor}
          onChange={setSuccessor}
          options={[
            ['', 'nothing in particular'],
            ...others.map(
              (other) => [other.id, `${other.label} ${other.statement.slice(0, 60)}`] as const,
            ),
          ]}
        />
      )}
      {to && (
        <>
          <EditableField label="Why" rows={2} value={reason} onChange={setReason} />
          <PinChoice pins={pins} value={pin} onChange={setPin} />
          <HappenedField label="When was that?" value={when} onChange={setWhen} />
          <Button
            size="small"
            variant="primary"
            busy={busy}
            disabled={lacksPin || happened === null}
            onClick={apply}
          >
            Change to {to}
          </Button>
        </>
      )}
    </InspectorSection>
  )
}
