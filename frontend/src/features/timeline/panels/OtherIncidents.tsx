/** Other incidents on this timeline: which, how far each is moved, and the dialog that chooses them. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { incidentsQuery } from '@/api/queries'
import { Button, IconButton } from '@/ui/controls/Button'
import { Dialog } from '@/ui/panels/Dialog'
import { CloseIcon } from '@/ui/controls/icons'
import { Problem, SkeletonRows } from '@/ui/display/States'
import { Time } from '@/ui/display/Value'
import { describeShift, MAX_OTHER_INCIDENTS, type OtherIncident } from '../model/otherIncidents'

/** One line that names the other incidents and how far each is moved. */
export function OtherIncidentsLine({
  others,
  failed,
  onDrop,
  onClear,
}: {
  readonly others: readonly OtherIncident[]
  readonly failed: readonly string[]
  readonly onDrop: (incident: string) => void
  readonly onClear: () => void
}) {
  if (others.length === 0 && failed.length === 0) return null
  return (
    <div className="tl-others" role="status" data-testid="timeline-others">
      <span className="faint">Other incidents</span>
      {others.map((other) => (
        <span key={other.incident} className="tl-others-item">
          <b className="ellipsis" title={other.title}>
            {other.title}
          </b>{' '}
          <span className="muted">{describeShift(other)}</span>
          <IconButton
            size="small"
            label={`Remove ${other.title}`}
            icon={<CloseIcon size={12} />}
            onClick={() => onDrop(other.incident)}
          />
        </span>
      ))}
      {failed.length > 0 && (
        <span className="tl-others-item">
          Not shown (not readable, or without times): {failed.join(', ')}
          <Button size="small" variant="ghost" onClick={onClear}>
            Remove all
          </Button>
        </span>
      )}
    </div>
  )
}

export function OtherIncidentsDialog({
  own,
  chosen,
  onChange,
  onClose,
}: {
  readonly own: string
  readonly chosen: readonly string[]
  readonly onChange: (next: readonly string[]) => void
  readonly onClose: () => void
}) {
  const [words, setWords] = useState('')
  const incidents = useQuery({
    ...incidentsQuery({ q: useDeferredValue(words.trim()), sort: 'updated', limit: 100 }),
    placeholderData: keepPreviousData,
  })
  // Without a stall there is no onset to align with.
  const found = (incidents.data?.items ?? []).filter(
    (item) => item.id !== own && (item.onset !== null || chosen.includes(item.id)),
  )
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Align with other incidents"
      description={`Their lanes appear below the lanes of the same name, aligned at the onset. ${MAX_OTHER_INCIDENTS} at most.`}
      width={720}
      footer={
        <>
          <Button disabled={chosen.length === 0} onClick={() => onChange([])}>
            Remove all
          </Button>
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        </>
      }
    >
      <input
        type="search"
        className="picker-filter"
        placeholder="Filter by title, service, finding"
        aria-label="Filter the incidents"
        value={words}
        onChange={(event) => setWords(event.target.value)}
      />
      {incidents.isError ? (
        <Problem compact error={incidents.error} what="The incidents could not be read" />
      ) : !incidents.data ? (
        <SkeletonRows rows={6} />
      ) : (
        <ul className="picker picker-incidents scroll">
          {found.map((item) => (
            <li key={item.id}>
              <label>
                <input
                  type="checkbox"
                  checked={chosen.includes(item.id)}
                  disabled={!chosen.includes(item.id) && chosen.length >= MAX_OTHER_INCIDENTS}
                  onChange={(event) =>
                    onChange(
                      event.target.checked
                        ? [...chosen, item.id]
                        : chosen.filter((id) => id !== item.id),
                    )
                  }
                />
                <span className="ellipsis" title={item.title}>
                  {item.title}
                </span>
                <span className="faint" title="Onset">
                  <Time at={item.onset} />
                </span>
              </label>
            </li>
          ))}
        </ul>
      )}
      {incidents.data && found.length === 0 && (
        <p className="faint">
          No other incident {words ? 'with these words has a stall' : 'has a stall yet'}.
        </p>
      )}
    </Dialog>
  )
}
