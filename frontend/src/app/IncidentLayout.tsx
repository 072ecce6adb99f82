/** The layout of an incident: rail, top bar, screen, status line, and one event stream. */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { Outlet, useLocation, useParams } from 'react-router'
import { onLive, useIncidentEvents } from '@/api/events'
import { asProblem } from '@/api/problem'
import { incidentQuery, overviewQuery, useIsGuest } from '@/api/queries'
import type { PlacedClock } from '@/api/schema'
import { IncidentContext } from '@/state/incident'
import { usePresence } from '@/state/presence'
import { sendDrafts } from '@/state/textDrafts'
import { Problem } from '@/ui/display/States'
import { IncidentNotHere } from './RouteError'
import { PasteBox } from './PasteBox'
import { Shell } from './Shell'

export function IncidentLayout() {
  const { id = '' } = useParams()
  const incident = useQuery(incidentQuery(id))
  const overview = useQuery(overviewQuery(id))
  const missing = incident.error !== null && asProblem(incident.error).status === 404
  useIncidentEvents(missing ? null : id)
  const { pathname, search } = useLocation()
  usePresence(id, pathname + search, useIsGuest())
  useEffect(
    () =>
      onLive((incident, live) => {
        if (live.name === 'open') void sendDrafts(incident)
      }),
    [],
  )
  const zone = commonZone(overview.data?.clocks ?? [])
  const scope = useMemo(() => ({ id, zone }), [id, zone])
  return (
    <IncidentContext.Provider value={scope}>
      <Shell incident={incident.data ?? null} overview={overview.data ?? null}>
        {missing ? (
          <IncidentNotHere />
        ) : incident.error && !incident.data ? (
          <Problem
            error={incident.error}
            what="The incident could not be read"
            onRetry={() => void incident.refetch()}
          />
        ) : (
          <>
            <Outlet />
            <PasteBox incidentId={id} />
          </>
        )}
      </Shell>
    </IncidentContext.Provider>
  )
}

/** Return the zone that most placed sources name; null when none does. */
function commonZone(clocks: readonly PlacedClock[]): string | null {
  const counts = new Map<string, number>()
  for (const { clock } of clocks) {
    if (clock.zone) counts.set(clock.zone, (counts.get(clock.zone) ?? 0) + 1)
  }
  const [first] = [...counts].sort((a, b) => b[1] - a[1])
  return first ? first[0] : null
}
