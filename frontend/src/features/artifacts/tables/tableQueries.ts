/** Queries of the tables of artifacts: the list, a page of rows, a comparison. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import type { ChangedRow } from '@/api/schema'
import type { Sort } from '@/ui/table/Table'

export const PAGE_ROWS = 1000
/** Maximum of drawn rows in a comparison; the counts cover all rows. */
export const COMPARED_ROWS = 5000

export const tablesQuery = (incidentId: string) =>
  queryOptions({
    queryKey: keys.of(incidentId, 'artifacts', 'tables'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/tables', {
          params: { path: { incident_id: incidentId } },
        }),
      ),
  })

export const tablesOfQuery = (id: string) =>
  queryOptions({
    queryKey: keys.artifact(id, 'tables'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/artifacts/{artifact_id}/tables', {
          params: { path: { artifact_id: id } },
        }),
      ),
  })

export const tablePageQuery = (id: string, name: string, page: number, sort: Sort | null) =>
  queryOptions({
    queryKey: keys.artifact(id, 'table', name, page, sort),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/artifacts/{artifact_id}/table', {
          params: {
            path: { artifact_id: id },
            query: {
              name,
              offset: page * PAGE_ROWS,
              limit: PAGE_ROWS,
              ...(sort ? { sort: sort.key, down: sort.down } : {}),
            },
          },
        }),
      ),
    placeholderData: keepPreviousData,
  })

/** Return the address of the CSV of all rows. */
export function csvOf(id: string, name: string, sort: Sort | null): string {
  const params = new URLSearchParams({
    name,
    ...(sort ? { sort: sort.key, down: String(sort.down) } : {}),
  })
  return `/api/v1/artifacts/${id}/table.csv?${params.toString()}`
}

type Side = { readonly artifact: string; readonly name: string }

export const comparisonQuery = (
  before: Side,
  after: Side,
  key: readonly string[],
  state: readonly ChangedRow['state'][],
) =>
  queryOptions({
    queryKey: keys.artifact(after.artifact, 'comparison', before, after, key, state),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/tables/comparison', {
          params: {
            query: {
              before_artifact: before.artifact,
              before: before.name,
              after_artifact: after.artifact,
              after: after.name,
              key: [...key],
              state: [...state],
              limit: COMPARED_ROWS,
            },
          },
        }),
      ),
    placeholderData: keepPreviousData,
    retry: false,
  })
