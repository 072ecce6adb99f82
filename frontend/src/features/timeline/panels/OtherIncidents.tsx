/** Other incidents on this timeline: which, how far each is moved, and the dialog that chooses them. */
import { useQueries, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { incidentQuery, incidentsQuery } from '@/api/queries'
import { Button, IconButton } from '@/ui/controls/Button'
import { Dialog } from '@/ui/panels/Dialog'
import { CloseIcon } from '@/ui/controls/icons'
import { Problem, SkeletonRows } from '@/ui/display/States'
import { Time } from '@/ui/display/Value'
import { besideShift, MOST_OTHERS, type Other, shiftWords } from '../model/otherIncidents'
import { marksQuery, seriesQuery } from '../model/firstQueries'
import type { Marks } from '../model/queries'

/** What is asked of the others; `failed` names those that could not be read or placed. */
export function useOthers(
  ids: readonly string[],
  own: Marks | undefined,
): { others: readonly Other[]; failed: readonly string[] } {
  const some = ids.slice(0, MOST_OTHERS)
  const about = useQueries({ queries: some.map(incidentQuery) })
  const series = useQueries({ queries: some.map(seriesQuery) })
  const marks = useQueries({ queries: some.map(marksQuery) })
  const known = some.map((id, at) => {
    const title = about[at]?.data?.title
    const asked = [about[at], series[at], marks[at]]
    const shift = own && marks[at]?.data ? besideShift(own, marks[at].data) : undefined
    if (asked.some((one) => one?.isError) || shift === null) return { id, failed: title ?? id }
    return title !== undefined && series[at]?.data && shift
      ? { id, other: { incident: id, title, series: series[at].data, ...shift } }
      : { id }
  })
  // One object as long as nothing of it changes: the lanes are built from it.
  const key = JSON.stringify(
    known.map(({ other, failed }) => [other?.incident, other?.title, other?.shift, failed]),
  )
  const held = series.map((one) => one.dataUpdatedAt).join()
  return useMemo(
    () => ({
      others: known.flatMap(({ other }) => (other ? [other] : [])),
      failed: known.flatMap(({ failed }) => (failed === undefined ? [] : [failed])),
    }),
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `known` is made anew by each render
    [key, held],
  )
}

/** One line that says which incidents stand beside and how far they are moved. */
export function BesideLine({
  others,
  failed,
  onDrop,
  onClear,
}: {
  readonly others: readonly Other[]
  readonly failed: readonly string[]
  readonly onDrop: (incident: string) => void
  readonly onClear: () => void
}) {
  if (others.length === 0 && failed.length === 0) return null
  return (
    <div className="tl-beside" role="status" data-testid="timeline-beside">
      <span className="faint">Beside</span>
      {others.map((other) => (
        <span key={other.incident} className="tl-beside-one">
          <b className="ellipsis">{other.title}</b>{' '}
          <span className="muted">{shiftWords(other)}</span>
          <IconButton
            size="small"
            label={`Take ${other.title} away`}
            icon={<CloseIcon size={12} />}
            onClick={() => onDrop(other.incident)}
          />
        </span>
      ))}
      {failed.length > 0 && (
        <span className="tl-beside-one">
          Not shown, it cannot be read or is not placed in time: {failed.join(', ')}
          <Button size="small" variant="ghost" onClick={onClear}>
            Take all away
          </Button>
        </span>
      )}
    </div>
  )
}

export function BesideDialog({
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
  const incidents = useQuery(incidentsQuery)
  const found = (incidents.data?.items ?? []).filter(
    (one) => one.id !== own && one.title.toLowerCase().includes(words.toLowerCase()),
  )
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Align with other incidents"
      description={`Their lanes of the same names come behind this one's, moved so that the onsets coincide. ${MOST_OTHERS} at most.`}
      width={720}
      footer={
        <>
          <Button disabled={chosen.length === 0} onClick={() => onChange([])}>
            Take all away
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
        placeholder="Filter by title"
        aria-label="Filter the incidents"
        value={words}
        onChange={(event) => setWords(event.target.value)}
      />
      {incidents.isError ? (
        <Problem compact error={incidents.error} what="The incidents could not be read" />
      ) : !incidents.data ? (
        <SkeletonRows rows={6} />
      ) : (
        <ul className="picker scroll">
          {found.map((one) => (
            <li key={one.id}>
              <label>
                <input
                  type="checkbox"
                  checked={chosen.includes(one.id)}
                  disabled={!chosen.includes(one.id) && chosen.length >= MOST_OTHERS}
                  onChange={(event) =>
                    onChange(
                      event.target.checked
                        ? [...chosen, one.id]
                        : chosen.filter((id) => id !== one.id),
                    )
                  }
                />
                <span className="ellipsis">{one.title}</span>
                <span className="faint">
                  <Time at={one.created_at} />
                </span>
              </label>
            </li>
          ))}
        </ul>
      )}
      {incidents.data && found.length === 0 && (
        <p className="faint">No other incident {words ? 'has this title' : 'is there yet'}.</p>
      )}
    </Dialog>
  )
}
