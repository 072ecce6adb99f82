/** Links from a row to its raw lines, and its pin button. */
import type { ReactNode } from 'react'
import { Link, useLocation } from 'react-router'
import { useIncidentId } from '@/state/incident'
import { rawLinesPath, useArtifactByHash } from '@/ui/evidence/evidence'
import { exactAddress } from '@/state/url'
import { PinButton } from '@/ui/evidence/pin'

type Place = {
  readonly artifact: string
  readonly line_first: number
  readonly line_last: number
}

/** A link to the raw lines of a row: "innodbstatus1:40–92". */
export function Lines({
  place,
  whole = false,
}: {
  readonly place: Place
  readonly whole?: boolean
}) {
  const incidentId = useIncidentId()
  const { search } = useLocation()
  const found = useArtifactByHash(incidentId)(place.artifact)
  const { line_first: first, line_last: last } = place
  // pt-stalk prefixes every name with a timestamp: the rest distinguishes the files.
  const name = (found?.name ?? 'source').replace(/^\d{4}(?:_\d\d){5}-/, '')
  const lines = `${first}${last > first ? `–${last}` : ''}`
  return (
    <Link
      className="tables-source mono"
      title={`${found?.path ?? 'artifact'}, ${last > first ? 'lines' : 'line'} ${lines}`}
      to={rawLinesPath(incidentId, found?.id ?? place.artifact, first, last, search)}
    >
      {whole && <span className="ellipsis">{name}</span>}
      <span>
        {whole && ':'}
        {lines}
      </span>
    </Link>
  )
}

/** The "Pin as evidence" button of a row. */
export function PinRow({
  place,
  title,
  chosen,
  children,
}: {
  readonly place: Place
  readonly title: string
  /** Address keys that select this row; without them the pin opens the raw lines. */
  readonly chosen?: Readonly<Record<string, string>>
  readonly children?: ReactNode
}) {
  const incidentId = useIncidentId()
  const found = useArtifactByHash(incidentId)(place.artifact)
  return (
    <span className="tables-pin">
      <PinButton
        incidentId={incidentId}
        pin={() => ({
          kind: 'lines',
          title: title.slice(0, 400),
          view: chosen
            ? exactAddress(chosen)
            : rawLinesPath(
                incidentId,
                found?.id ?? place.artifact,
                place.line_first,
                place.line_last,
                window.location.search,
              ),
          locator: {
            artifact: place.artifact,
            ...(found ? { path: found.path } : {}),
            line_first: place.line_first,
            line_last: place.line_last,
          },
        })}
      >
        {children ?? 'Pin as evidence'}
      </PinButton>
    </span>
  )
}
