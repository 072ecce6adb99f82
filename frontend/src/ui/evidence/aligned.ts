/** Stalls of an incident and of its runs, each with a series aligned at the onset. */
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'

const fetchEpisodes = (id: string) =>
  unwrap(
    api.GET('/api/v1/incidents/{incident_id}/episodes', { params: { path: { incident_id: id } } }),
  )

export type Episodes = Awaited<ReturnType<typeof fetchEpisodes>>

/** Query the stalls of all captures, each aligned at its onset. */
export const episodesQuery = (id: string) =>
  queryOptions({
    queryKey: keys.of(id, 'analysis', 'episodes'),
    queryFn: () => fetchEpisodes(id),
  })

const fetchRuns = (id: string) =>
  unwrap(api.GET('/api/v1/incidents/{incident_id}/runs', { params: { path: { incident_id: id } } }))

export type AlignedRun = Awaited<ReturnType<typeof fetchRuns>>[number]

/** Query the runs with files; a run without a stall is aligned at its first sample. */
export const runsQuery = (id: string) =>
  queryOptions({
    queryKey: keys.of(id, 'experiments', 'runs'),
    queryFn: () => fetchRuns(id),
  })
