/** The confidence in a hypothesis: a new value with its reason, and the history of values. */
import { useState } from 'react'
import { Button } from '@/ui/controls/Button'
import { EditableField } from '@/ui/controls/EditableField'
import { Field } from '@/ui/controls/Field'
import { Problem } from '@/ui/display/States'
import { Time } from '@/ui/display/Value'
import { InspectorSection } from '@/ui/panels/Inspector'
import { PinChoice, pinsOf } from './PinChoice'
import { type Hypothesis, useHypothesisWrites } from './queries'

export function SetConfidence({
  incidentId,
  hypothesis,
}: {
  readonly incidentId: string
  readonly hypothesis: Hypothesis
}) {
  const { confide } = useHypothesisWrites(incidentId)
  const [value, setValue] = useState(hypothesis.confidence ?? 50)
  const [reason, setReason] = useState('')
  const [pin, setPin] = useState('')
  return (
    <InspectorSection title="How sure are you?">
      {confide.isError && (
        <Problem compact error={confide.error} what="The confidence was not saved" />
      )}
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
      <EditableField label="Reason" rows={2} value={reason} onChange={setReason} />
      <PinChoice pins={pinsOf(hypothesis)} value={pin} onChange={setPin} />
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

export function ConfidenceLedger({ hypothesis }: { readonly hypothesis: Hypothesis }) {
  return (
    <InspectorSection title="Confidence over time">
      <ol className="ledger">
        {[...hypothesis.history].reverse().map((step, index) => (
          <li key={index} data-testid="ledger-step">
            <strong>{step.confidence === null ? '–' : `${step.confidence} %`}</strong>{' '}
            <span className="muted">
              <Time at={step.happened_at ?? step.recorded_at} />, {step.by}, {step.status}
            </span>
            <div>{step.reason}</div>
          </li>
        ))}
      </ol>
    </InspectorSection>
  )
}
