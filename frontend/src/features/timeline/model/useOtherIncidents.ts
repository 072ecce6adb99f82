/** Reads the other incidents whose lanes are shown on this timeline. */
import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import { incidentQuery } from '@/api/queries'
import type { Marks } from './documents'
import { marksQuery, seriesQuery } from './firstQueries'
import { alignmentShift, MAX_OTHER_INCIDENTS, type OtherIncident } from './otherIncidents'

/** Query the chosen incidents; `failed` names those that cannot be read or have no times. */
export function useOtherIncidents(
  ids: readonly string[],
  own: Marks | undefined,
): { others: readonly OtherIncident[]; failed: readonly string[] } {
  const chosen = ids.slice(0, MAX_OTHER_INCIDENTS)
  const incidents = useQueries({ queries: chosen.map(incidentQuery) })
  const series = useQueries({ queries: chosen.map(seriesQuery) })
  const marks = useQueries({ queries: chosen.map(marksQuery) })
  const results = chosen.map((id, at) => {
    const title = incidents[at]?.data?.title
    const queries = [incidents[at], series[at], marks[at]]
    const shift = own && marks[at]?.data ? alignmentShift(own, marks[at].data) : undefined
    if (queries.some((query) => query?.isError) || shift === null) {
      return { id, failed: title ?? id }
    }
    return title !== undefined && series[at]?.data && shift
      ? { id, other: { incident: id, title, series: series[at].data, ...shift } }
      : { id }
  })
  // The same object as long as nothing in it changes: the lanes are built from it.
  const key = JSON.stringify(
    results.map(({ other, failed }) => [other?.incident, other?.title, other?.shift, failed]),
  )
  const versions = series.map((query) => query.dataUpdatedAt).join()
  return useMemo(
    () => ({
      others: results.flatMap(({ other }) => (other ? [other] : [])),
      failed: results.flatMap(({ failed }) => (failed === undefined ? [] : [failed])),
    }),
    // eslint-disable-next-line react-hooks/exhaustive-deps -- each render makes new `results`
    [key, versions],
  )
}
