/** What the timeline asks for: the series there are, tiles of lanes, marks, strips; and what people say. */
import type { components } from '@/api/schema'
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { api, ifMatch, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import { lanePoint } from '@/charts/lane'
import type { Interval } from '@/charts/range'
import { iso } from '@/charts/time'
import { useOfferUndo } from '@/ui/history/undo'
import type { Annotation } from './documents'
import { otherLaneId, readLaneId } from './otherIncidents'
import { decodeBody } from './decoder'
import type { Fetcher } from './tiles'

const path = (id: string) => ({ path: { incident_id: id } })

/** Changes when the analysis has run again: what is held of lanes is then stale. */
export const lanesVersionQuery = (id: string) =>
  queryOptions({
    queryKey: keys.of(id, 'lanes', 'version'),
    queryFn: () => Promise.resolve(Date.now()),
    staleTime: Infinity,
  })

/** One series over everything, for the strip beneath. */
export const stripLaneQuery = (
  id: string,
  series: string | undefined,
  whole: Interval | null,
  px: number,
) =>
  queryOptions({
    queryKey: keys.of(id, 'lanes', 'strip', series, whole, px),
    queryFn: async () => {
      const answer = await unwrap(
        api.GET('/api/v1/incidents/{incident_id}/lanes', {
          params: {
            ...path(id),
            query: {
              series: series ? [series] : [],
              px,
              ...(whole ? { start: iso(whole[0]), end: iso(whole[1]) } : {}),
            },
          },
        }),
      )
      const [lane] = answer.lanes
      return lane ? { ...lane, points: lane.points.map(lanePoint) } : null
    },
    enabled: series !== undefined && whole !== null && px > 0,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  })

/** Tiles of lanes of this incident, or of another incident; one incident per request. */
export function tilesOf(id: string): Fetcher {
  return async (lanes, step, first, count, signal) => {
    const wanted = lanes.map(readLaneId)
    const { incident } = wanted[0] ?? { incident: null }
    const body = await unwrap(
      api.GET('/api/v1/incidents/{incident_id}/tiles', {
        params: {
          ...path(incident ?? id),
          query: { series: wanted.map((item) => item.series), step, first, count },
        },
        parseAs: 'arrayBuffer',
        signal,
      }),
    )
    const decoded = await decodeBody(body)
    if (incident === null) return decoded
    const strips = decoded.strips.map((strip) => ({
      ...strip,
      id: otherLaneId(incident, strip.id),
    }))
    return { ...decoded, strips }
  }
}

/** Some lanes in a window against the window before it. */
export const windowQuery = (id: string, series: readonly string[], range: Interval | null) =>
  queryOptions({
    queryKey: keys.of(id, 'lanes', 'window', series, range),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/window', {
          params: {
            ...path(id),
            query: {
              series: [...series],
              start: iso(range?.[0] ?? 0),
              end: iso(range?.[1] ?? 1),
            },
          },
        }),
      ),
    enabled: series.length > 0 && range !== null,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  })

export function askWhatMoved(id: string, range: Interval) {
  return unwrap(
    api.GET('/api/v1/incidents/{incident_id}/moved', {
      params: { ...path(id), query: { start: iso(range[0]), end: iso(range[1]) } },
    }),
  )
}

export function useAddAnnotation(id: string) {
  const refresh = useRefreshedMarks(id)
  return useMutation({
    mutationFn: (body: components['schemas']['NewAnnotation']) =>
      unwrap(api.POST('/api/v1/incidents/{incident_id}/annotations', { params: path(id), body })),
    onSuccess: refresh,
  })
}

export function useEditAnnotation(id: string) {
  const refresh = useRefreshedMarks(id)
  return useMutation({
    mutationFn: ({
      note,
      ...body
    }: { note: Annotation } & Pick<Annotation, 'text' | 'kind' | 'precision'>) =>
      unwrap(
        api.PATCH('/api/v1/annotations/{annotation_id}', {
          params: { path: { annotation_id: note.id }, header: ifMatch(note.revision) },
          body,
        }),
      ),
    onSuccess: refresh,
  })
}

export function useDeleteAnnotation(id: string) {
  const refresh = useRefreshedMarks(id)
  const offer = useOfferUndo(id)
  return useMutation({
    mutationFn: (annotationId: string) =>
      unwrap(
        api.DELETE('/api/v1/annotations/{annotation_id}', {
          params: { path: { annotation_id: annotationId } },
        }),
      ),
    onSuccess: (_, annotationId) => {
      offer('annotation', annotationId, 'a note on the timeline')
      return refresh()
    },
  })
}

export type StallTimes = {
  readonly onset: string | null
  readonly end: string | null
  readonly baseline_start: string | null
  readonly baseline_end: string | null
}

/** A person's times of one stall: saved one after the other, and taken back. */
export function useStallCorrection(id: string) {
  const refresh = useRefreshedMarks(id)
  /** What was saved here last: a second change may leave before the marks were read again. */
  const saved = useRef(0)
  const correct = useMutation({
    scope: { id: `stall-corrections/${id}` },
    mutationFn: async (change: {
      host: string | null
      computedOnset: string
      times: StallTimes
      revision: number
    }) => {
      const corrected = await unwrap(
        api.PUT('/api/v1/incidents/{incident_id}/stalls/correction', {
          params: { ...path(id), header: ifMatch(Math.max(change.revision, saved.current)) },
          body: { host: change.host, computed_onset: change.computedOnset, ...change.times },
        }),
      )
      saved.current = corrected.revision
      return corrected
    },
    onSettled: refresh,
  })
  const reset = useMutation({
    mutationFn: async (correctionId: string) => {
      await unwrap(
        api.DELETE('/api/v1/stall-corrections/{correction_id}', {
          params: { path: { correction_id: correctionId } },
        }),
      )
      saved.current = 0
    },
    onSettled: refresh,
  })
  return { correct, reset }
}

function useRefreshedMarks(id: string) {
  const client = useQueryClient()
  return () => client.invalidateQueries({ queryKey: keys.of(id, 'marks') })
}
