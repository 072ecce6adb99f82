/** What the timeline asks for: the series there are, lanes at a pixel width, marks. */
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import type { components } from '@/api/schema'
import { lanePoint, type LanePoint } from '@/charts/lane'
import { iso, type Interval } from '@/charts/time'
import { useOfferUndo } from '@/ui/undo'

export type Series = components['schemas']['SeriesOut']
/** OpenAPI has no tuples of fixed length: the points are those of charts/lane. */
export type Lane = Omit<components['schemas']['LaneOut'], 'points'> & {
  points: readonly LanePoint[]
}
export type Marks = components['schemas']['Marks']
export type Annotation = components['schemas']['AnnotationOut']

export const seriesQuery = (id: string) =>
  queryOptions({
    queryKey: keys.of(id, 'series'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/series', {
          params: { path: { incident_id: id } },
        }),
      ),
    staleTime: 60_000,
  })

export const marksQuery = (id: string) =>
  queryOptions({
    queryKey: keys.of(id, 'marks'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/marks', { params: { path: { incident_id: id } } }),
      ),
    staleTime: 60_000,
  })

/** Lanes come at the pixel width that they are drawn in; while a window loads the last one stays. */
export const lanesQuery = (
  id: string,
  series: readonly string[],
  range: Interval | null,
  px: number,
) =>
  queryOptions({
    queryKey: keys.of(id, 'lanes', series, range, px),
    queryFn: async () => {
      const answer = await unwrap(
        api.GET('/api/v1/incidents/{incident_id}/lanes', {
          params: {
            path: { incident_id: id },
            query: {
              series: [...series],
              px,
              ...(range ? { start: iso(range[0]), end: iso(range[1]) } : {}),
            },
          },
        }),
      )
      const lanes: Lane[] = answer.lanes.map((lane) => ({
        ...lane,
        points: lane.points.map(lanePoint),
      }))
      return { ...answer, lanes }
    },
    enabled: series.length > 0 && px > 0,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  })

export function useAddAnnotation(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: { start: string; end: string | null; text: string }) =>
      unwrap(
        api.POST('/api/v1/incidents/{incident_id}/annotations', {
          params: { path: { incident_id: id } },
          body,
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.of(id, 'marks') }),
  })
}

export function useDeleteAnnotation(id: string) {
  const client = useQueryClient()
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
      return client.invalidateQueries({ queryKey: keys.of(id, 'marks') })
    },
  })
}
