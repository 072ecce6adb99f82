/** Queries of the comparison and of the choices for a side. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import type { components } from '@/api/schema'
import { type Align, type Side, writeSide } from '@/state/sides'

export type SidesDoc = components['schemas']['SidesDoc']
export type OverlayDoc = components['schemas']['OverlayDoc']

/** The compared sides and how they are aligned. */
export type Comparison = {
  readonly sides: readonly Side[]
  readonly align: Align
  /** Seconds around the onset or the start; null: each whole side. */
  readonly window: readonly [number, number] | null
  /** Index of the reference side. */
  readonly reference: number
}

const parameters = ({ sides, align, window, reference }: Comparison) => ({
  side: sides.map(writeSide),
  align,
  ...(reference > 0 ? { reference } : {}),
  ...(window && align !== 'clock' ? { from_s: window[0], to_s: window[1] } : {}),
})

export const compareQuery = (id: string, comparison: Comparison) =>
  queryOptions({
    queryKey: keys.of(id, 'compare', parameters(comparison)),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/compare', {
          params: { path: { incident_id: id }, query: parameters(comparison) },
        }),
      ),
    retry: false,
    placeholderData: keepPreviousData,
  })

export const overlayQuery = (id: string, comparison: Comparison, series: string) =>
  queryOptions({
    queryKey: keys.of(
      id,
      'compare',
      'overlay',
      series,
      parameters({ ...comparison, window: null, reference: 0 }),
    ),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/compare/overlay', {
          params: {
            path: { incident_id: id },
            query: { ...parameters({ ...comparison, window: null, reference: 0 }), series },
          },
        }),
      ),
    enabled: series !== '',
    retry: false,
    placeholderData: keepPreviousData,
  })

/** Return the address of the whole comparison as a file. */
export function exportPath(
  id: string,
  comparison: Comparison,
  format: 'csv' | 'md',
  all: boolean,
): string {
  const query = new URLSearchParams({ format, all: String(all) })
  for (const [key, value] of Object.entries(parameters(comparison))) {
    for (const name of Array.isArray(value) ? (value as string[]) : [String(value)]) {
      query.append(key, name)
    }
  }
  return `/api/v1/incidents/${id}/compare/export?${query.toString()}`
}

export const fleetQuery = (id: string) =>
  queryOptions({
    queryKey: keys.of(id, 'compare', 'fleet'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/fleet', {
          params: { path: { incident_id: id } },
        }),
      ),
  })
