/** Two sides beside each other, and what can be put on a side. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import type { components } from '@/api/schema'
import type { Side } from './sides'

export type CompareDoc = components['schemas']['CompareDoc']
export type Choices = components['schemas']['CompareChoices']

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

export const compareQuery = (id: string, a: Side, b: Side) =>
  queryOptions({
    queryKey: keys.of(id, 'compare', a, b),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/compare', {
          params: {
            path: { incident_id: id },
            query: { ...prefixed('a', a), ...prefixed('b', b) },
          },
        }),
      ),
    retry: false,
    placeholderData: keepPreviousData,
  })

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

function prefixed(name: 'a' | 'b', side: Side) {
  return Object.fromEntries(
    Object.entries(side)
      .filter(([, value]) => value !== '')
      .map(([key, value]) => [`${name}_${key}`, value]),
  )
}
