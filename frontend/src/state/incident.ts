/** State that every screen of an incident shares: its id, the displayed time zone, the range. */
import { createContext, useContext, useMemo } from 'react'
import { formatTime, type TimeStyle, zoneLabel } from '@/format'
import { text, oneOf, useUrlChange, useUrlState } from './url'

export type ZoneMode = 'utc' | 'local' | 'incident'

type IncidentScope = {
  readonly id: string
  /** Zone of the captured servers, when the clocks agree on one: 'America/New_York', '-08:00'. */
  readonly zone: string | null
}

export const IncidentContext = createContext<IncidentScope | null>(null)

/** Return the id of the incident that the screen belongs to. */
export function useIncidentId(): string {
  const scope = useContext(IncidentContext)
  if (!scope) throw new Error('useIncidentId() outside of an incident')
  return scope.id
}

export type Zone = {
  readonly mode: ZoneMode
  /** IANA name, '+02:00' or 'UTC'. */
  readonly name: string
  readonly label: string
  readonly incidentZone: string | null
  readonly setMode: (mode: ZoneMode) => void
  readonly format: (at: string | number | Date | null | undefined, style?: TimeStyle) => string
}

const MODE = oneOf<ZoneMode>(['utc', 'local', 'incident'])

/** Return the zone chosen in the top bar, stored in the URL as tz. */
export function useZone(): Zone {
  const scope = useContext(IncidentContext)
  const incidentZone = scope?.zone ?? null
  const [mode, setMode] = useUrlState('tz', MODE, 'utc')
  return useMemo(() => {
    const local = Intl.DateTimeFormat().resolvedOptions().timeZone
    const name = mode === 'local' ? local : mode === 'incident' ? (incidentZone ?? 'UTC') : 'UTC'
    return {
      mode,
      name,
      label: zoneLabel(name),
      incidentZone,
      setMode,
      format: (at, style) => formatTime(at, name, style),
    }
  }, [mode, incidentZone, setMode])
}

export type Range = { readonly from: string | null; readonly to: string | null }

/** Return the shared time range (ISO 8601 UTC; null: the whole capture) and its setter. */
export function useRange(): [Range, (next: Range | null, push?: boolean) => void] {
  const [from] = useUrlState('start', text, '')
  const [to] = useUrlState('end', text, '')
  const change = useUrlChange()
  return [
    useMemo(() => ({ from: from || null, to: to || null }), [from, to]),
    (next, push) =>
      change(
        { start: next?.from ? [next.from] : [], end: next?.to ? [next.to] : [] },
        push ? { push } : {},
      ),
  ]
}

/** The stall that the screens describe, by its id in the address; empty: the leading one. */
export const useChosenStall = (): string => useUrlState('stall', text, '')[0]
