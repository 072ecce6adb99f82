/** The form that sets the type of an artifact: likely formats first, then all others. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { formatsQuery, useMay } from '@/api/queries'
import type { Artifact } from '@/api/schema'
import { Button } from '@/ui/controls/Button'
import { Problem } from '@/ui/display/States'
import { useChangeArtifact } from './queries'

export function TypeChooser({
  incidentId,
  artifact,
  onDone,
  onMapColumns,
}: {
  readonly incidentId: string
  readonly artifact: Artifact
  readonly onDone?: () => void
  /** Opens the column dialog, for a table that no format recognised. */
  readonly onMapColumns?: (() => void) | undefined
}) {
  const formats = useQuery(formatsQuery)
  const [chosen, setChosen] = useState(artifact.format ?? artifact.candidates[0] ?? '')
  const change = useChangeArtifact(incidentId)
  const mayWrite = useMay('contributor')
  const likely = (formats.data ?? []).filter(({ name }) => artifact.candidates.includes(name))
  const others = (formats.data ?? []).filter(({ name }) => !artifact.candidates.includes(name))
  const set = (format: string | null) =>
    change.mutate({ id: artifact.id, change: { format } }, { onSuccess: () => onDone?.() })
  return (
    <div className="chooser">
      {artifact.state === 'unknown_format' && (
        <p>
          <strong>Its content matches no known format.</strong>{' '}
          {artifact.why && <span className="muted">{sentence(artifact.why)} </span>}
          The file is stored unchanged. If you know its type, set it here.
        </p>
      )}
      {mayWrite && (
        <form
          className="chooser-row"
          onSubmit={(event) => {
            event.preventDefault()
            if (chosen) set(chosen)
          }}
        >
          <select
            className="select"
            aria-label="Type"
            value={chosen}
            onChange={(event) => setChosen(event.target.value)}
          >
            <option value="" disabled>
              Choose a type
            </option>
            {likely.length > 0 && (
              <optgroup label="Likely">
                {likely.map(({ name, title }) => (
                  <option key={name} value={name}>
                    {title}
                  </option>
                ))}
              </optgroup>
            )}
            <optgroup label={likely.length ? 'All others' : 'All'}>
              {others.map(({ name, title }) => (
                <option key={name} value={name}>
                  {title}
                </option>
              ))}
            </optgroup>
          </select>
          <Button type="submit" variant="primary" disabled={!chosen} busy={change.isPending}>
            Parse as this type
          </Button>
          {onMapColumns && <Button onClick={onMapColumns}>Define the columns</Button>}
          {artifact.format_given && (
            <Button busy={change.isPending} onClick={() => set(null)}>
              Detect from the content
            </Button>
          )}
        </form>
      )}
      {(change.error ?? formats.error) && <Problem compact error={change.error ?? formats.error} />}
    </div>
  )
}

/** Turn a message of the server into a sentence. */
export const sentence = (words: string) =>
  `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? '' : '.'}`
