/** The confidence in a hypothesis: a new value with its reason, and the history of values. */
import { useState } from 'react'
import { Button } from '@/ui/controls/Button'
import { EditableField } from '@/ui/controls/EditableField'
import { Field } from '@/ui/controls/Field'
import { Problem } from '@/ui/display/States'
import { Happened } from '@/ui/display/Happened'
import { HappenedField, useGiven } from '@/ui/controls/HappenedField'
import { NOW } from '@/ui/controls/happened'
import { TimesToggle, useTimes } from '@/ui/controls/TimesToggle'
import { InspectorSection } from '@/ui/panels/Inspector'
import { ConfidenceChart } from './ConfidenceChart'
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
  const [when, setWhen] = useState('')
  const happened = useGiven(when)
  return (
    <InspectorSection title="How sure are you?">
      {confide.isError && (
        <Problem compact error={confide.error} what="The confidence was not saved" />
      )}
      <Field label={`Confidence: ${value}%`}>
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
      <HappenedField label="When was that?" value={when} onChange={setWhen} />
      <Button
        size="small"
        variant="primary"
        disabled={!reason.trim() || happened === null}
        busy={confide.isPending}
        onClick={() =>
          confide.mutate(
            {
              id: hypothesis.id,
              confidence: value,
              reason: reason.trim(),
              pin_id: pin || null,
              happened: happened ?? NOW,
            },
            {
              onSuccess: () => {
                setReason('')
                setWhen('')
              },
            },
          )
        }
      >
        Set confidence
      </Button>
    </InspectorSection>
  )
}

export function ConfidenceLedger({ hypothesis }: { readonly hypothesis: Hypothesis }) {
  const [by] = useTimes()
  const steps =
    by === 'happened'
      ? hypothesis.history
      : hypothesis.history.toSorted((a, b) => a.recorded_at.localeCompare(b.recorded_at))
  const isLater = steps.some((step) => step.happened_at !== null)
  return (
    <InspectorSection title="Confidence over time">
      {isLater && <TimesToggle />}
      <ConfidenceChart steps={steps} by={by} />
      <ol className="ledger">
        {[...steps].reverse().map((step, index) => (
          <li key={index} data-testid="ledger-step">
            <strong>{step.confidence === null ? '–' : `${step.confidence}%`}</strong>{' '}
            <span className="muted">
              <Happened
                at={step.happened_at}
                precision={step.happened_precision}
                recorded={step.recorded_at}
                by={by}
              />
              , {step.by}, {step.status}
            </span>
            <div>{step.reason}</div>
          </li>
        ))}
      </ol>
    </InspectorSection>
  )
}
