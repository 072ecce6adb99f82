/** Queries that several screens share: session, incident, artifacts, status, formats. */
import {
  type QueryClient,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { api, ifMatch, mayHaveSession, unwrap } from './client'
import { type Domain, keys, madeStaleBy } from './keys'
import { problemFrom } from './problem'
import type { components, IncidentChange, Me, operations, Overview } from './schema'

export const sessionQuery = queryOptions({
  queryKey: keys.session,
  // Without unwrap: its "session lost" event would reset this query in an endless loop.
  queryFn: async () => {
    if (!mayHaveSession()) throw problemFrom(401, { title: 'Not signed in', detail: '' })
    const { data, error, response } = await api.GET('/api/v1/session')
    if (!data) throw problemFrom(response.status, error)
    return data
  },
  retry: false,
  staleTime: Infinity,
})

/** Return the signed-in user; throws outside of the signed-in routes. */
export function useMe(): Me {
  const { data } = useQuery(sessionQuery)
  if (!data) throw new Error('useMe() outside of the signed-in routes')
  return data
}

/** Return whether a guest link opened this: there is one incident, and no account. */
export function useIsGuest(): boolean {
  const { data } = useQuery(sessionQuery)
  return data?.guest ?? false
}

const RANK = { viewer: 0, contributor: 1, admin: 2 } as const

/** Return whether the signed-in user has at least this role. */
export function useMay(role: keyof typeof RANK): boolean {
  const { data } = useQuery(sessionQuery)
  const has = data?.user.role as keyof typeof RANK | undefined
  return has !== undefined && RANK[has] >= RANK[role]
}

export const incidentQuery = (id: string) =>
  queryOptions({
    queryKey: keys.of(id, 'self'),
    queryFn: () =>
      unwrap(api.GET('/api/v1/incidents/{incident_id}', { params: { path: { incident_id: id } } })),
  })

export type IncidentsFilter = NonNullable<
  operations['incidents_api_v1_incidents_get']['parameters']['query']
>

/** A page of the incidents that pass a filter. */
export const incidentsQuery = (filter: IncidentsFilter) =>
  queryOptions({
    queryKey: [...keys.incidents, filter],
    queryFn: () => unwrap(api.GET('/api/v1/incidents', { params: { query: filter } })),
  })

/** The incidents that changed last, for short lists. */
export const recentIncidentsQuery = incidentsQuery({ sort: 'updated', limit: 21 })

/** stall: the one to describe; empty: the leading one. */
export const overviewQuery = (id: string, stall = '') =>
  queryOptions({
    queryKey: stall ? keys.of(id, 'overview', stall) : keys.of(id, 'overview'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/overview', {
          params: { path: { incident_id: id }, query: stall ? { stall } : {} },
        }),
      ),
  })

/** Whether an analysis has finished: what is computed from it answers 409 before. */
export const isAnalysed = (overview: Overview) => overview.analysis.engine !== null

/** Whether an analysis has finished; null while that is not known. */
export function useIsAnalysed(id: string): boolean | null {
  const overview = useQuery(overviewQuery(id))
  // Without an overview, the screen asks and shows what it gets.
  return overview.data ? isAnalysed(overview.data) : overview.isError || null
}

export const actionsQuery = (id: string) =>
  queryOptions({
    queryKey: keys.of(id, 'report', 'actions'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/actions', {
          params: { path: { incident_id: id } },
        }),
      ),
  })

export const artifactsQuery = (id: string) =>
  queryOptions({
    queryKey: keys.of(id, 'artifacts'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/artifacts', {
          params: { path: { incident_id: id } },
        }),
      ),
  })

export const queuePlaceQuery = (id: string) =>
  queryOptions({
    queryKey: keys.of(id, 'queue'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/queue', { params: { path: { incident_id: id } } }),
      ),
    refetchInterval: 5_000,
  })

export const statusQuery = queryOptions({
  queryKey: keys.status,
  queryFn: () => unwrap(api.GET('/api/v1/status')),
  refetchInterval: 10_000,
})

export const formatsQuery = queryOptions({
  queryKey: keys.formats,
  queryFn: () => unwrap(api.GET('/api/v1/formats')),
  staleTime: Infinity,
})

/** Refetch a domain, and the domains computed from it, after a write. */
export const refresh = (client: QueryClient, incidentId: string, domain: Domain) =>
  Promise.all(
    madeStaleBy(domain).map((name) =>
      client.invalidateQueries({ queryKey: ['incident', incidentId, name] }),
    ),
  )

/** Change title, status, severity, ...; a stale revision is a 409 ApiProblem with `current`. */
export function useChangeIncident(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ change, revision }: { change: IncidentChange; revision: number }) =>
      unwrap(
        api.PATCH('/api/v1/incidents/{incident_id}', {
          params: { path: { incident_id: id }, header: ifMatch(revision) },
          body: change,
        }),
      ),
    onSuccess: (incident) => {
      client.setQueryData(keys.of(id, 'self'), incident)
      void client.invalidateQueries({ queryKey: keys.of(id, 'overview') })
      void client.invalidateQueries({ queryKey: keys.incidents })
    },
  })
}

export const hypothesesQuery = (id: string) =>
  queryOptions({
    queryKey: keys.of(id, 'hypotheses'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/hypotheses', {
          params: { path: { incident_id: id } },
        }),
      ),
  })

export type CompareChoices = components['schemas']['CompareChoices']

/** Query what can be compared: captures with their stalls, and runs. */
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

/** Named sets of values that exports replace. */
export const redactionProfilesQuery = queryOptions({
  queryKey: keys.redactionProfiles,
  queryFn: () => unwrap(api.GET('/api/v1/redaction-profiles')),
})
