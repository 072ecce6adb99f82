/** Queries and writes of artifacts, and the pages of their raw lines. */
import {
  keepPreviousData,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import type { ArtifactChange, ArtifactItems, RawLines } from '@/api/schema'
import type { Given } from '@/state/given'
import { useOfferUndo } from '@/ui/history/undo'

export const PAGE_LINES = 200

export const detailQuery = (id: string) =>
  queryOptions({
    queryKey: keys.artifact(id, 'detail'),
    queryFn: () =>
      unwrap(api.GET('/api/v1/artifacts/{artifact_id}', { params: { path: { artifact_id: id } } })),
  })

/** Query the sections that begin in a range of lines, for an artifact whose outline is incomplete. */
export const sectionsQuery = (id: string, first: number, last: number) =>
  queryOptions({
    queryKey: [...keys.artifact(id, 'detail'), 'sections', first, last],
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/artifacts/{artifact_id}/sections', {
          params: { path: { artifact_id: id }, query: { first, last } },
        }),
      ),
    staleTime: Infinity,
  })

export const unfinishedQuery = (incidentId: string) =>
  queryOptions({
    queryKey: keys.of(incidentId, 'uploads'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/uploads', {
          params: { path: { incident_id: incidentId } },
        }),
      ),
  })

const rawQuery = (id: string, page: number) =>
  queryOptions({
    queryKey: keys.artifact(id, 'raw', page),
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/v1/artifacts/{artifact_id}/raw', {
          params: {
            path: { artifact_id: id },
            query: { line: page * PAGE_LINES + 1, count: PAGE_LINES },
          },
          signal, // cancelled when the scrollbar is dragged past the page
        }),
      ),
    staleTime: Infinity, // the bytes of an artifact never change
    gcTime: 60_000,
  })

export type RawLine = {
  readonly text: string
  /** How much of the line is shown; null when all of it is. */
  readonly cut: { readonly shown: number; readonly bytes: number } | null
}

type RawPages = {
  /** Null until the first page is here. */
  readonly total: number | null
  readonly lineAt: (line: number) => RawLine | null
  readonly error: unknown
}

/** Return the lines of a range, loading their pages on demand; enabled: false for what has no lines. */
export function useRawLines(
  id: string,
  first: number,
  last: number,
  { enabled }: { readonly enabled: boolean },
): RawPages {
  const wanted = useMemo(() => {
    const from = Math.floor((first - 1) / PAGE_LINES)
    const to = Math.floor((last - 1) / PAGE_LINES)
    return Array.from({ length: to - from + 1 }, (_, index) => from + index)
  }, [first, last])
  const results = useQueries({
    queries: wanted.map((page) => ({ ...rawQuery(id, page), enabled })),
  })
  const pages = new Map<number, RawLines>()
  wanted.forEach((page, index) => {
    const data = results[index]?.data
    if (data) pages.set(page, data)
  })
  // From a page that is always loaded: the height must not drop to zero between two pages.
  const head = useQuery({ ...rawQuery(id, 0), enabled })
  return {
    total: head.data?.total_lines ?? null,
    error: head.error ?? results.find((result) => result.error)?.error ?? null,
    lineAt: (line) => {
      const page = pages.get(Math.floor((line - 1) / PAGE_LINES))
      const text = page?.lines[line - page.line_first]
      if (page === undefined || text === undefined) return null
      return { text, cut: page.cut.find((item) => item.line === line) ?? null }
    },
  }
}

const searchPage = (
  id: string,
  words: string,
  query: { from_line: number; limit?: number; back?: boolean },
  signal?: AbortSignal,
) =>
  unwrap(
    api.GET('/api/v1/artifacts/{artifact_id}/raw/search', {
      params: { path: { artifact_id: id }, query: { q: words, ...query } },
      ...(signal ? { signal } : {}),
    }),
  )

/** Number of search hits to list; the search continues until it has that many. */
const LISTED_HITS = 200

/** Search the lines of an artifact; disabled for fewer than two characters. */
export function useRawSearch(id: string, words: string) {
  const query = useInfiniteQuery({
    queryKey: keys.artifact(id, 'search', words),
    queryFn: ({ pageParam, signal }) =>
      searchPage(id, words, { from_line: pageParam, limit: LISTED_HITS }, signal),
    initialPageParam: 1,
    getNextPageParam: (page) => page.resume,
    enabled: words.length >= 2,
    staleTime: Infinity,
  })
  const hits = useMemo(() => query.data?.pages.flatMap((page) => page.hits) ?? [], [query.data])
  const { hasNextPage, isFetching, fetchNextPage } = query
  useEffect(() => {
    if (hasNextPage && !isFetching && hits.length < LISTED_HITS) void fetchNextPage()
  }, [hasNextPage, isFetching, hits.length, fetchNextPage])
  return { ...query, hits }
}

/** Find the next or previous hit from a line, wrapping at the ends of the file; null without hits. */
export async function nextHit(
  id: string,
  words: string,
  line: number,
  step: 1 | -1,
): Promise<number | null> {
  const from = step === 1 ? [line + 1, 1] : [line, Number.MAX_SAFE_INTEGER]
  for (const start of from) {
    let at: number | null = Math.max(1, start)
    while (at !== null) {
      const page = await searchPage(id, words, { from_line: at, limit: 1, back: step === -1 })
      const hit = page.hits[0]
      if (hit) return hit.line
      at = page.resume
    }
  }
  return null
}

/** Query one piece of a line that is too long for its page. */
export const pieceQuery = (id: string, line: number, first: number) =>
  queryOptions({
    queryKey: keys.artifact(id, 'piece', line, first),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/artifacts/{artifact_id}/raw/line', {
          params: { path: { artifact_id: id }, query: { line, first } },
        }),
      ),
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  })

/** Query the dry run of a zone and an offset before they are saved. */
export function useClockPreview(id: string, zone: string, offset: number | null, on: boolean) {
  return useQuery({
    queryKey: keys.artifact(id, 'clock', zone, offset),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/artifacts/{artifact_id}/clock/preview', {
          params: {
            path: { artifact_id: id },
            query: { ...(zone ? { zone } : {}), offset_s: offset ?? 0 },
          },
        }),
      ),
    enabled: on,
    retry: false,
    placeholderData: keepPreviousData,
  })
}

export function useChangeArtifact(incidentId: string) {
  const refresh = useRefresh(incidentId)
  return useMutation({
    mutationFn: ({ id, change }: { id: string; change: ArtifactChange }) =>
      unwrap(
        api.PATCH('/api/v1/artifacts/{artifact_id}', {
          params: { path: { artifact_id: id } },
          body: change,
        }),
      ),
    onSuccess: (artifact) => refresh(artifact.id),
  })
}

/** Return the mutation that gives artifacts a time and a host; null forgets both. */
export function useGiveTime(incidentId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ ids, given }: { ids: readonly string[]; given: Given | null }) =>
      unwrap(
        api.POST('/api/v1/incidents/{incident_id}/artifacts/given', {
          params: { path: { incident_id: incidentId } },
          body: { artifact_ids: [...ids], ...given },
        }),
      ),
    onSuccess: (_, { ids }) => {
      void client.invalidateQueries({ queryKey: keys.of(incidentId, 'artifacts') })
      for (const id of ids) void client.invalidateQueries({ queryKey: keys.artifact(id, 'detail') })
    },
  })
}

/** Return the mutation that moves artifacts to a server; a null host means the printed one. */
export function useGiveHost(incidentId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (moves: readonly HostMove[]) => {
      for (const { ids, host } of moves)
        await unwrap(
          api.POST('/api/v1/incidents/{incident_id}/artifacts/host', {
            params: { path: { incident_id: incidentId } },
            body: { artifact_ids: [...ids], host },
          }),
        )
    },
    onSettled: (_, __, moves) => {
      void client.invalidateQueries({ queryKey: keys.of(incidentId, 'artifacts') })
      for (const id of moves.flatMap(({ ids }) => ids))
        void client.invalidateQueries({ queryKey: keys.artifact(id, 'detail') })
    },
  })
}

/** Artifacts and the host that a person gives them. */
export interface HostMove {
  readonly ids: readonly string[]
  readonly host: string | null
}

export function useReparse(incidentId: string) {
  const refresh = useRefresh(incidentId)
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(
        api.POST('/api/v1/artifacts/{artifact_id}/reparse', {
          params: { path: { artifact_id: id } },
        }),
      ),
    onSuccess: (artifact) => refresh(artifact.id),
  })
}

export function useDeleteArtifact(incidentId: string) {
  const client = useQueryClient()
  const offer = useOfferUndo(incidentId)
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(
        api.DELETE('/api/v1/artifacts/{artifact_id}', { params: { path: { artifact_id: id } } }),
      ),
    onSuccess: (_, id) => {
      offer('artifact', id, 'an artifact')
      client.setQueryData<ArtifactItems>(keys.of(incidentId, 'artifacts'), (list) =>
        list
          ? { ...list, items: list.items.filter((a) => a.id !== id && a.parent_id !== id) }
          : list,
      )
      void client.invalidateQueries({ queryKey: keys.of(incidentId, 'overview') })
    },
  })
}

/** Return the mutation that cancels an unfinished upload. */
export function useCancelUnfinished(incidentId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(api.DELETE('/api/v1/uploads/{upload_id}', { params: { path: { upload_id: id } } })),
    onSettled: () => client.invalidateQueries({ queryKey: keys.of(incidentId, 'uploads') }),
  })
}

function useRefresh(incidentId: string) {
  const client = useQueryClient()
  return (artifactId: string) => {
    void client.invalidateQueries({ queryKey: keys.artifact(artifactId) })
    void client.invalidateQueries({ queryKey: keys.of(incidentId, 'artifacts') })
  }
}
