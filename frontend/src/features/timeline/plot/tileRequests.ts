/** Which tiles the plot needs: what is in sight first, then its neighbours in time and in the stack. */
import { group } from 'd3-array'
import { visible } from '../model/laneStack'
import type { MetricLane, Placed } from '../model/laneTypes'
import { levelFor, type Wish } from '../model/tiles'
import type { Scene } from './scene'

/** What decides which tiles: the range, its pixels, and the clocks. */
type Span = Pick<Scene, 'range' | 'width' | 'whole' | 'clocks'>

/** Tiles of lanes over a stretch of time: one request per incident and clock shift. */
export function tilesOver(
  scene: Span,
  lanes: readonly MetricLane[],
  from: number,
  to: number,
): Wish[] {
  const level = levelFor(scene.range, scene.width)
  const byShift = group(
    lanes,
    (lane) => scene.clocks.shiftOf(lane),
    (lane) => lane.otherIncident?.incident,
  )
  return [...byShift].flatMap(([shift, byIncident]) =>
    [...byIncident.values()].map((same) => ({
      series: same.map((lane) => lane.id),
      level,
      from: Math.max(scene.whole[0], from) - shift,
      to: Math.min(scene.whole[1], to) - shift,
    })),
  )
}

/** In the order of need; top and bottom: the part of the stack in sight. */
export function tilesInNeed(
  scene: Span,
  placed: readonly Placed[],
  top: number,
  bottom: number,
): Wish[] {
  const metricsBetween = (from: number, to: number) => metricLanes(visible(placed, from, to))
  const [from, to] = scene.range
  const span = to - from
  const inSight = metricsBetween(top, bottom)
  const height = bottom - top
  const wishes = [
    ...tilesOver(scene, inSight, from, to),
    ...(from > scene.whole[0] ? tilesOver(scene, inSight, from - span, from) : []),
    ...(to < scene.whole[1] ? tilesOver(scene, inSight, to, to + span) : []),
    ...tilesOver(scene, metricsBetween(bottom, bottom + height), from, to),
    ...tilesOver(scene, metricsBetween(top - height, top), from, to),
  ]
  return wishes.filter((wish) => wish.to > wish.from && wish.series.length > 0)
}

export const metricLanes = (placed: readonly Placed[]): MetricLane[] =>
  placed.flatMap(({ lane }) => (lane.kind === 'metric' ? [lane] : []))
