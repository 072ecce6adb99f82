/** Sides beside each other, and what can be put on a side. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import type { components } from '@/api/schema'
import { type Align, type Side, writeSide } from './sides'

export type SidesDoc = components['schemas']['SidesDoc']
export type OverlayDoc = components['schemas']['OverlayDoc']
export type Choices = components['schemas']['CompareChoices']

/** Which sides, and how they are laid over each other. */
export type Asked = {
  readonly sides: readonly Side[]
  readonly align: Align
  /** Seconds around the onset or the start; null: all of each side. */
  readonly window: readonly [number, number] | null
  /** The side that the others are held against. */
  readonly reference: number
}

const asked = ({ sides, align, window, reference }: Asked) => ({
  side: sides.map(writeSide),
  align,
  ...(reference > 0 ? { reference } : {}),
  ...(window && align !== 'clock' ? { from_s: window[0], to_s: window[1] } : {}),
})

export const choicesQuery = (id: string) =>
  queryOptions({
    queryKey: keys.of(id, 'compare', 'choices'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/compare/choices', {
          params: { path: { incident_id: id } },
        }),
      ),
  })

export const compareQuery = (id: string, what: Asked) =>
  queryOptions({
    queryKey: keys.of(id, 'compare', asked(what)),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/compare', {
          params: { path: { incident_id: id }, query: asked(what) },
        }),
      ),
    retry: false,
    placeholderData: keepPreviousData,
  })

export const overlayQuery = (id: string, what: Asked, series: string) =>
  queryOptions({
    queryKey: keys.of(
      id,
      'compare',
      'overlay',
      series,
      asked({ ...what, window: null, reference: 0 }),
    ),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/compare/overlay', {
          params: {
            path: { incident_id: id },
            query: { ...asked({ ...what, window: null, reference: 0 }), series },
          },
        }),
      ),
    enabled: series !== '',
    retry: false,
    placeholderData: keepPreviousData,
  })

/** Address of the whole comparison as a file. */
export function exportPath(id: string, what: Asked, format: 'csv' | 'md', all: boolean): string {
  const query = new URLSearchParams({ format, all: String(all) })
  for (const [key, value] of Object.entries(asked(what))) {
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
