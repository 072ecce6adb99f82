/** Plan an experiment: one change, and what we expect to see. */
import { useState } from 'react'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Field } from '@/ui/Field'
import { Problem } from '@/ui/States'
import { useExperimentWrites } from './queries'

type Props = {
  incidentId: string
  hypotheses: readonly { id: string; statement: string }[]
  onClose: () => void
  onMade: (id: string) => void
}

export function PlanDialog({ incidentId, hypotheses, onClose, onMade }: Props) {
  const { create } = useExperimentWrites(incidentId)
  const [title, setTitle] = useState('')
  const [hypothesis, setHypothesis] = useState(hypotheses[0]?.id ?? '')
  const [change, setChange] = useState('')
  const [prediction, setPrediction] = useState('')
  const [falsifier, setFalsifier] = useState('')
  const [risk, setRisk] = useState('')
  const plan = () =>
    create.mutate(
      {
        title: title.trim(),
        hypothesis_id: hypothesis || null,
        change: change.trim(),
        prediction: {
          text: prediction.trim(),
          metric: null,
          op: null,
          value: null,
          window_s: null,
          falsifier: falsifier.trim(),
        },
        risk: risk.trim(),
      },
      {
        onSuccess: (made) => {
          onMade(made.id)
          onClose()
        },
      },
    )
  const area = (value: string, set: (next: string) => void, rows = 2) =>
    function Area(ids: {
      id: string
      'aria-describedby': string | undefined
      'aria-invalid': true | undefined
    }) {
      return (
        <textarea
          {...ids}
          rows={rows}
          value={value}
          onChange={(event) => set(event.target.value)}
        />
      )
    }
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title="Plan an experiment"
      width={600}
      footer={
        <Button variant="primary" busy={create.isPending} disabled={!title.trim()} onClick={plan}>
          Plan it
        </Button>
      }
    >
      {create.isError && <Problem compact error={create.error} what="It was not saved" />}
      <Field label="Title">
        {(ids) => (
          <input {...ids} value={title} onChange={(event) => setTitle(event.target.value)} />
        )}
      </Field>
      <Field label="Hypothesis">
        {(ids) => (
          <select
            {...ids}
            value={hypothesis}
            onChange={(event) => setHypothesis(event.target.value)}
          >
            <option value="">none</option>
            {hypotheses.map((one) => (
              <option key={one.id} value={one.id}>
                {one.statement}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Change" hint="One thing, as exactly as somebody else would need it">
        {area(change, setChange)}
      </Field>
      <Field
        label="Prediction"
        hint="What you expect to see, with a number and a time; locked at the start"
      >
        {area(prediction, setPrediction)}
      </Field>
      <Field label="Falsified if">{area(falsifier, setFalsifier)}</Field>
      <Field label="Risk and way back">{area(risk, setRisk)}</Field>
    </Dialog>
  )
}
