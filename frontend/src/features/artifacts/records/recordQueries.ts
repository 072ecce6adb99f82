/** Queries of the parsed records of an artifact: by page, by line, one in full. */
import { queryOptions, useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import type { RecordRow } from '@/api/schema'

const PAGE_RECORDS = 200

const pageQuery = (id: string, version: number | null, kind: string, page: number) =>
  queryOptions({
    queryKey: keys.artifact(id, 'records', version, kind, page),
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/v1/artifacts/{artifact_id}/records', {
          params: {
            path: { artifact_id: id },
            query: { kind, offset: page * PAGE_RECORDS, limit: PAGE_RECORDS },
          },
          signal,
        }),
      ),
    staleTime: 60_000,
    gcTime: 60_000,
  })

/** Return the records of a range, loading their pages on demand. */
export function useRecords(
  id: string,
  version: number | null,
  kind: string,
  first: number,
  last: number,
) {
  const wanted = useMemo(() => {
    const from = Math.floor(first / PAGE_RECORDS)
    const to = Math.floor(Math.max(first, last) / PAGE_RECORDS)
    return Array.from({ length: to - from + 1 }, (_, index) => from + index)
  }, [first, last])
  const results = useQueries({ queries: wanted.map((page) => pageQuery(id, version, kind, page)) })
  const pages = new Map<number, readonly RecordRow[]>()
  wanted.forEach((page, index) => {
    const data = results[index]?.data
    if (data) pages.set(page, data.items)
  })
  return {
    error: results.find((result) => result.error)?.error ?? null,
    recordAt: (index: number) =>
      pages.get(Math.floor(index / PAGE_RECORDS))?.[index % PAGE_RECORDS] ?? null,
  }
}

/** Query the records of a range of lines. */
export const recordsAtQuery = (id: string, version: number | null, line: number, to: number) =>
  queryOptions({
    queryKey: keys.artifact(id, 'recordsAt', version, line, to),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/artifacts/{artifact_id}/records/at', {
          params: { path: { artifact_id: id }, query: { line, ...(to > line ? { to } : {}) } },
        }),
      ),
    enabled: line > 0,
    staleTime: 60_000,
  })

export const recordQuery = (id: string, version: number | null, kind: string, index: number) =>
  queryOptions({
    queryKey: keys.artifact(id, 'record', version, kind, index),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/artifacts/{artifact_id}/record', {
          params: { path: { artifact_id: id }, query: { kind, index } },
        }),
      ),
    staleTime: 60_000,
  })
