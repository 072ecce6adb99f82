/** The choice of incident artifacts that belong to a run. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { artifactsQuery } from '@/api/queries'
import { Field } from '@/ui/controls/Field'
import { Problem } from '@/ui/display/States'
import { offerUndo } from '@/ui/history/undo'
import { type Experiment, useExperimentWrites } from './queries'

const SHOWN = 50

export function AttachArtifacts({
  incidentId,
  experiment,
}: {
  incidentId: string
  experiment: Experiment
}) {
  const { attach } = useExperimentWrites(incidentId)
  const { data } = useQuery(artifactsQuery(incidentId))
  const [filter, setFilter] = useState('')
  const attached = new Set(experiment.artifacts.map((artifact) => artifact.id))
  const found = (data?.items ?? []).filter((artifact) =>
    artifact.path.toLowerCase().includes(filter.toLowerCase()),
  )
  const toggle = ({ id, path }: { readonly id: string; readonly path: string }) => {
    const next = new Set(attached)
    const removed = next.delete(id)
    if (!removed) next.add(id)
    const write = (artifacts: ReadonlySet<string>) =>
      attach.mutateAsync({ experiment: experiment.id, artifacts: [...artifacts] })
    void write(next).then(
      () => offerUndo(`${removed ? 'Detached' : 'Attached'}: ${path}`, () => write(attached)),
      () => undefined, // shown above
    )
  }
  return (
    <>
      {attach.isError && (
        <Problem compact error={attach.error} what="The artifact was not attached" />
      )}
      <Field label="Attach artifacts of the experiment">
        {(ids) => (
          <input
            {...ids}
            className="input"
            type="search"
            placeholder="part of a path"
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
          />
        )}
      </Field>
      <ul className="attach scroll">
        {found.slice(0, SHOWN).map((artifact) => (
          <li key={artifact.id}>
            <label>
              <input
                type="checkbox"
                checked={attached.has(artifact.id)}
                onChange={() => toggle(artifact)}
              />
              <span className="mono ellipsis" title={artifact.path}>
                {artifact.path}
              </span>
            </label>
          </li>
        ))}
        {found.length > SHOWN && <li className="faint">{found.length - SHOWN} more</li>}
      </ul>
    </>
  )
}
