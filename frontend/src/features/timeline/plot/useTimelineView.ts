/** Creates the drawing state of the timeline and keeps it in step with the model. */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useLayoutEffect, useState } from 'react'
import { iso } from '@/charts/time'
import { lanesVersionQuery, tilesOf } from '../model/queries'
import type { TimelineModel } from '../model/useTimeline'
import { TimelineView } from './view'

export function useTimelineView(model: TimelineModel): {
  readonly view: TimelineView
  /** Why the last request for tiles failed; null when it succeeded. */
  readonly tileError: unknown
} {
  const { id, lanes, range, whole, shifts, clocks, setRange, captured, focus } = model
  const selected = model.selection.item?.key ?? null
  const version = useQuery(lanesVersionQuery(id))
  const [tileError, setTileError] = useState<unknown>(null)
  const [view] = useState(() => new TimelineView(tilesOf(id)))
  useEffect(() => () => view.dispose(), [view])
  useEffect(() => view.tiles.clear(), [view, version.data])
  useEffect(() => view.setLanes(lanes), [view, lanes])
  useEffect(() => view.setCaptured(captured, focus), [view, captured, focus])
  useEffect(() => view.choose(selected), [view, selected])
  useEffect(() => {
    if (range && whole) view.showRange(range, whole)
  }, [view, range, whole])
  useEffect(() => {
    const dispersion = [...clocks].map(
      ([artifact, clock]) => [artifact, clock.clock.dispersion_s ?? 0] as const,
    )
    view.setClocks(shifts, new Map(dispersion))
  }, [view, shifts, clocks])
  useLayoutEffect(() => {
    view.listen(
      (next) => setRange({ from: iso(next[0]), to: iso(next[1]) }, true),
      (error) => setTileError(error),
    )
  })
  return { view, tileError }
}
