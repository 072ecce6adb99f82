/** Plan an experiment: one change, and what we expect to see. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Field } from '@/ui/Field'
import { Problem } from '@/ui/States'
import { seriesNamesQuery, useExperimentWrites } from './queries'

const SIGNS = [
  ['<', 'less than'],
  ['<=', 'at most'],
  ['>', 'more than'],
  ['>=', 'at least'],
  ['~', 'about'],
  ['falls', 'falls from the incident’s'],
  ['rises', 'rises from the incident’s'],
] as const
const STATISTICS = ['median', 'mean', 'p95', 'max', 'min'] as const
const SUGGESTED = 2000

/** Null for what is not a number. */
function decimal(text: string): number | null {
  const value = Number(text.trim())
  return text.trim() === '' || Number.isNaN(value) ? null : value
}

/** 'tables=4, binary=patched' as names and values; null when it is not that. */
export function readParameters(text: string): Record<string, string> | null {
  const found: Record<string, string> = {}
  for (const one of text.split(/[,\n]/).filter((part) => part.trim())) {
    const [, name = '', value = ''] = /^([^=]*)=(.*)$/.exec(one) ?? []
    if (!name.trim() || !value.trim() || name.trim() in found) return null
    found[name.trim()] = value.trim()
  }
  return found
}

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
  const [metric, setMetric] = useState('')
  const [op, setOp] = useState<(typeof SIGNS)[number][0]>('<')
  const [value, setValue] = useState('')
  const [window, setWindow] = useState('')
  const [statistic, setStatistic] = useState<(typeof STATISTICS)[number]>('median')
  const [limit, setLimit] = useState('')
  const [also, setAlso] = useState('')
  const [sweep, setSweep] = useState('')
  const [named, setNamed] = useState('')
  const parameters = readParameters(named)
  const direction = op === 'falls' || op === 'rises'
  const half = metric.trim() !== '' && !direction && decimal(value) === null
  const series = useQuery(seriesNamesQuery(incidentId))
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
          metric: metric.trim() || null,
          op: metric.trim() ? op : null,
          value: metric.trim() && !direction ? decimal(value) : null,
          statistic: metric.trim() ? statistic : null,
          // What is falsified lies on the other side of what is predicted.
          falsifier_op:
            decimal(limit) === null ? null : op.startsWith('<') || op === 'falls' ? '>' : '<',
          falsifier_value: decimal(limit),
          also: also.split(/[,\s]+/).filter(Boolean),
          window_s: metric.trim() ? decimal(window) : null,
          falsifier: falsifier.trim(),
        },
        risk: risk.trim(),
        sweep: sweep.trim(),
        parameters: parameters ?? {},
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
        <Button
          variant="primary"
          busy={create.isPending}
          disabled={!title.trim() || half || parameters === null}
          onClick={plan}
        >
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
      <fieldset className="experiment-number">
        <legend>The number to compute from the run’s artifacts (optional)</legend>
        <Field label="Series">
          {(ids) => (
            <>
              <input
                {...ids}
                list="experiment-series"
                value={metric}
                onChange={(event) => setMetric(event.target.value)}
              />
              <datalist id="experiment-series">
                {(series.data ?? []).slice(0, SUGGESTED).map((id) => (
                  <option key={id} value={id} />
                ))}
              </datalist>
            </>
          )}
        </Field>
        <Field label="Sign">
          {(ids) => (
            <select
              {...ids}
              value={op}
              onChange={(event) => setOp(event.target.value as typeof op)}
            >
              {SIGNS.map(([key, word]) => (
                <option key={key} value={key}>
                  {word}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Value" problem={half ? 'a number, such as 20' : undefined}>
          {(ids) => (
            <input
              {...ids}
              inputMode="decimal"
              disabled={direction}
              value={value}
              onChange={(event) => setValue(event.target.value)}
            />
          )}
        </Field>
        <Field label="Within seconds" hint="Empty: the whole run">
          {(ids) => (
            <input
              {...ids}
              inputMode="decimal"
              value={window}
              onChange={(event) => setWindow(event.target.value)}
            />
          )}
        </Field>
        <Field label="Statistic">
          {(ids) => (
            <select
              {...ids}
              value={statistic}
              onChange={(event) => setStatistic(event.target.value as typeof statistic)}
            >
              {STATISTICS.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          )}
        </Field>
        <Field label="A miss beyond" hint="Empty: judged by the share of samples">
          {(ids) => (
            <input
              {...ids}
              inputMode="decimal"
              value={limit}
              onChange={(event) => setLimit(event.target.value)}
            />
          )}
        </Field>
        <Field label="Also show" hint="Other series ids">
          {(ids) => (
            <input {...ids} value={also} onChange={(event) => setAlso(event.target.value)} />
          )}
        </Field>
      </fieldset>
      <Field label="Falsified if">{area(falsifier, setFalsifier)}</Field>
      <Field label="Sweep" hint="The runs of one sweep share a name; empty: a run by itself">
        {(ids) => (
          <input {...ids} value={sweep} onChange={(event) => setSweep(event.target.value)} />
        )}
      </Field>
      <Field
        label="Parameters of this run"
        problem={
          parameters === null ? 'name=value pairs, such as tables=4, binary=patched' : undefined
        }
      >
        {(ids) => (
          <input
            {...ids}
            placeholder="tables=4, binary=patched"
            value={named}
            onChange={(event) => setNamed(event.target.value)}
          />
        )}
      </Field>
      <Field label="Risk and way back">{area(risk, setRisk)}</Field>
    </Dialog>
  )
}
