/** The values of a run, each marked as computed, typed or imported, and the form that adds one. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useMay } from '@/api/queries'
import { formatMeasured, formatNumber, unitText } from '@/format'
import { Button, IconButton } from '@/ui/controls/Button'
import { EditableField } from '@/ui/controls/EditableField'
import { CloseIcon } from '@/ui/controls/icons'
import { Problem } from '@/ui/display/States'
import { offerUndo } from '@/ui/history/undo'
import { InspectorSection } from '@/ui/panels/Inspector'
import { decimal, STATISTICS } from './draft'
import { type Experiment, type Measure, seriesNamesQuery, useExperimentWrites } from './queries'
import './story.css'

const SOURCE: Record<Measure['source'], string> = {
  computed: 'computed from the artifacts of the run',
  typed: 'typed by a person',
  imported: 'imported from a pasted table',
}

/** What is computed has the digits that it was measured with; what people typed stays as they typed it. */
const valueText = ({ source, value }: Measure) =>
  source === 'computed' ? formatMeasured(value) : formatNumber(value, 2)

/** A value with its unit and its source: "10 000 /s typed". */
export function MeasureValue({ measure }: { readonly measure: Measure }) {
  return (
    <span className="story-measure" title={measure.basis || SOURCE[measure.source]}>
      <b>{valueText(measure)}</b>
      {measure.unit && <span className="unit">{unitText(measure.unit)}</span>}{' '}
      <span className="faint">{measure.source}</span>
    </span>
  )
}

export function Measures({
  incidentId,
  experiment,
}: {
  readonly incidentId: string
  readonly experiment: Experiment
}) {
  const mayWrite = useMay('contributor')
  const { removeValue, restoreValue } = useExperimentWrites(incidentId)
  const { measures } = experiment
  const remove = ({ id, name }: Measure) => {
    if (!id) return
    const write = { experiment: experiment.id, value: id }
    const onSuccess = () =>
      offerUndo(`Deleted the measurement: ${name}`, () => restoreValue.mutateAsync(write))
    removeValue.mutate(write, { onSuccess })
  }
  if (measures.length === 0 && (!mayWrite || experiment.state === 'planned')) return null
  return (
    <InspectorSection title={`Measurements (${measures.length})`}>
      {measures.length > 0 && (
        <table className="story-measures" aria-label="Measurements of the run">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Value</th>
              <th scope="col">Source</th>
              <th scope="col">
                <span className="visually-hidden">Delete</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {measures.map((measure, index) => (
              <tr key={measure.id ?? `result-${index}`} data-testid="measure">
                <th scope="row">{measure.name}</th>
                <td className="num">
                  {valueText(measure)}
                  {measure.unit && <span className="unit">{unitText(measure.unit)}</span>}
                </td>
                <td>
                  {measure.source}
                  <div className="faint">{measure.basis}</div>
                </td>
                <td>
                  {mayWrite && measure.id && (
                    <IconButton
                      label={`Delete the measurement ${measure.name}`}
                      icon={<CloseIcon size={12} />}
                      onClick={() => remove(measure)}
                    />
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {mayWrite && experiment.state !== 'planned' && (
        <AddValue incidentId={incidentId} experiment={experiment} />
      )}
    </InspectorSection>
  )
}

const BLANK = { name: '', value: '', unit: '', series: '', statistic: 'median' }

function AddValue({
  incidentId,
  experiment,
}: {
  readonly incidentId: string
  readonly experiment: Experiment
}) {
  const { addValue, computeValue } = useExperimentWrites(incidentId)
  const [draft, setDraft] = useState(BLANK)
  const [isComputed, setComputed] = useState(false)
  const series = useQuery(seriesNamesQuery(incidentId))
  const set = (change: Partial<typeof BLANK>) => setDraft({ ...draft, ...change })
  const onSuccess = () => setDraft(BLANK)
  const number = decimal(draft.value)
  const failed = addValue.error ?? computeValue.error
  const statistic = STATISTICS.find((name) => name === draft.statistic) ?? 'median'
  return (
    <details className="story-fold">
      <summary>Add a measurement</summary>
      {failed && <Problem compact error={failed} what="The measurement was not saved" />}
      {experiment.artifacts.length > 0 && (
        <EditableField
          label="Source"
          value={isComputed ? 'computed' : 'typed'}
          options={[
            ['typed', 'typed by you'],
            ['computed', 'computed from the artifacts of the run'],
          ]}
          onChange={(source) => setComputed(source === 'computed')}
        />
      )}
      {isComputed ? (
        <div className="story-pair">
          <EditableField
            label="Series"
            list="measure-series"
            value={draft.series}
            onChange={(text) => set({ series: text })}
          />
          <datalist id="measure-series">
            {(series.data ?? []).slice(0, 2000).map((id) => (
              <option key={id} value={id} />
            ))}
          </datalist>
          <EditableField
            label="Statistic"
            value={statistic}
            options={STATISTICS.map((name) => [name, name] as const)}
            onChange={(text) => set({ statistic: text })}
          />
        </div>
      ) : (
        <>
          <EditableField
            label="Name"
            placeholder="inserts"
            value={draft.name}
            onChange={(text) => set({ name: text })}
          />
          <div className="story-pair">
            <EditableField
              label="Value"
              inputMode="decimal"
              value={draft.value}
              onChange={(text) => set({ value: text })}
            />
            <EditableField
              label="Unit"
              placeholder="1/s"
              value={draft.unit}
              onChange={(text) => set({ unit: text })}
            />
          </div>
        </>
      )}
      <Button
        size="small"
        busy={addValue.isPending || computeValue.isPending}
        disabled={isComputed ? !draft.series.trim() : !draft.name.trim() || number === null}
        onClick={() => {
          if (isComputed)
            computeValue.mutate(
              { experiment, value: { series: draft.series.trim(), statistic } },
              { onSuccess },
            )
          else if (number !== null)
            addValue.mutate(
              {
                experiment,
                value: { name: draft.name.trim(), value: number, unit: draft.unit.trim() },
              },
              { onSuccess },
            )
        }}
      >
        {isComputed ? 'Compute and add' : 'Add'}
      </Button>
    </details>
  )
}
