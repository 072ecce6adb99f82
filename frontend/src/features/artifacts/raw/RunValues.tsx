/** Makes numbers of the selected lines values of a run: typed by a person, with the line they are from. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { api, ifMatch, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import { refresh, useMay } from '@/api/queries'
import type { Artifact, Experiment } from '@/api/schema'
import { formatCount, formatNumber } from '@/format'
import { Button } from '@/ui/controls/Button'
import { Field } from '@/ui/controls/Field'
import { Problem } from '@/ui/display/States'
import { offerUndo } from '@/ui/history/undo'
import { Dialog } from '@/ui/panels/Dialog'
import { type FoundNumber, numbersIn } from './numbers'

type Draft = FoundNumber & { readonly chosen: boolean }

type Props = {
  readonly incidentId: string
  readonly artifact: Artifact
  /** The selected lines. */
  readonly text: () => string
  readonly line: number
}

export function RunValuesButton(props: Props) {
  const [open, setOpen] = useState(false)
  if (!useMay('contributor')) return null
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)}>
        Values of a run
      </Button>
      {open && <RunValues {...props} onClose={() => setOpen(false)} />}
    </>
  )
}

function RunValues({
  incidentId,
  artifact,
  text,
  line,
  onClose,
}: Props & { readonly onClose: () => void }) {
  const [drafts, setDrafts] = useState<readonly Draft[]>(() =>
    numbersIn(text().split('\n'), line).map((found) => ({ ...found, chosen: found.name !== '' })),
  )
  const [runId, setRunId] = useState('')
  const runs = useQuery({
    queryKey: keys.of(incidentId, 'experiments'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/experiments', {
          params: { path: { incident_id: incidentId } },
        }),
      ),
  })
  const begun = (runs.data ?? []).filter((run) => run.state !== 'planned')
  const run = begun.find((item) => item.id === runId) ?? begun.at(-1)
  const chosen = drafts.filter((draft) => draft.chosen)
  const record = useRecord(incidentId, artifact)
  const set = (index: number, change: Partial<Draft>) =>
    setDrafts(drafts.map((draft, at) => (at === index ? { ...draft, ...change } : draft)))
  return (
    <Dialog
      open
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose()
      }}
      title="Make numbers the values of a run"
      description="The values stay marked as typed, with a link to their line."
      width={680}
      footer={
        <Button
          variant="primary"
          busy={record.isPending}
          disabled={!run || chosen.length === 0 || chosen.some((draft) => !draft.name.trim())}
          onClick={() => run && record.mutate({ run, chosen }, { onSuccess: onClose })}
        >
          {`Record ${formatCount(chosen.length, 'value')}`}
        </Button>
      }
    >
      <div className="run-values">
        {record.isError && (
          <Problem compact error={record.error} what="The values were not saved" />
        )}
        {runs.data && !run && (
          <p role="status">
            No run has begun yet.{' '}
            <Link to={`/incidents/${incidentId}/experiments`}>Plan one under Experiments</Link>, or
            paste a table of results there.
          </p>
        )}
        {run && (
          <Field label="Run">
            {(ids) => (
              <select
                {...ids}
                className="select"
                value={run.id}
                onChange={(event) => setRunId(event.target.value)}
              >
                {begun.map((item) => (
                  <option key={item.id} value={item.id}>
                    {`${item.number} ${item.title}`}
                  </option>
                ))}
              </select>
            )}
          </Field>
        )}
        {drafts.length === 0 ? (
          <p role="status">These lines have no numbers. Select the lines that do.</p>
        ) : (
          <Numbers drafts={drafts} onChange={set} />
        )}
      </div>
    </Dialog>
  )
}

function Numbers({
  drafts,
  onChange,
}: {
  readonly drafts: readonly Draft[]
  readonly onChange: (index: number, change: Partial<Draft>) => void
}) {
  return (
    <table aria-label="Numbers in the selected lines">
      <thead>
        <tr>
          <th scope="col" className="num">
            Value
          </th>
          <th scope="col">Name</th>
          <th scope="col">Unit</th>
          <th scope="col" className="num">
            Line
          </th>
        </tr>
      </thead>
      <tbody>
        {drafts.map((draft, index) => (
          <tr key={index}>
            <td className="num">
              <label>
                {formatNumber(draft.value, 4)}{' '}
                <input
                  type="checkbox"
                  checked={draft.chosen}
                  onChange={(event) => onChange(index, { chosen: event.target.checked })}
                />
              </label>
            </td>
            <td>
              <input
                className="input"
                aria-label={`Name of ${formatNumber(draft.value, 4)}`}
                maxLength={200}
                value={draft.name}
                onChange={(event) => onChange(index, { name: event.target.value, chosen: true })}
              />
            </td>
            <td>
              <input
                className="input"
                aria-label={`Unit of ${formatNumber(draft.value, 4)}`}
                maxLength={40}
                value={draft.unit}
                onChange={(event) => onChange(index, { unit: event.target.value })}
              />
            </td>
            <td className="num faint">{draft.line}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Return the mutation that records the chosen numbers, and offers to undo it. */
function useRecord(incidentId: string, artifact: Artifact) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ run, chosen }: { run: Experiment; chosen: readonly Draft[] }) =>
      unwrap(
        api.POST('/api/v1/experiments/{experiment_id}/measurements', {
          params: { path: { experiment_id: run.id }, header: ifMatch(run.revision) },
          body: {
            values: chosen.map(({ name, value, unit, line }) => ({
              name: name.trim(),
              value,
              unit: unit.trim(),
              basis: `${artifact.path}, line ${line}`.slice(-500),
            })),
          },
        }),
      ),
    onSuccess: (changed, { run, chosen }) => {
      const known = new Set(run.measures.map(({ id }) => id))
      const made = changed.measures.flatMap(({ id }) => (id && !known.has(id) ? [id] : []))
      offerUndo(
        `Recorded ${formatCount(chosen.length, 'value')} of run ${run.number}`,
        async () => {
          for (const id of made)
            await unwrap(
              api.DELETE('/api/v1/experiments/{experiment_id}/measurements/{measurement_id}', {
                params: { path: { experiment_id: run.id, measurement_id: id } },
              }),
            )
          await refresh(client, incidentId, 'experiments')
        },
      )
      return refresh(client, incidentId, 'experiments')
    },
  })
}
