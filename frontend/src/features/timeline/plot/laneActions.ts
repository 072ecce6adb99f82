/** Actions of the lane heads. */
import type { PlacedClock } from '@/api/schema'
import type { Choice, Lane, MetricLane } from '../model/laneTypes'

/** What a head can ask for; always the same object, so that it never causes a render. */
export type LaneActions = {
  readonly activate: (lane: Lane) => void
  /** Opens the chosen mark of the active lane. */
  readonly enter: () => void
  readonly choose: (lane: Lane, change: Partial<Choice>) => void
  /** To a place among all lanes. */
  readonly move: (lane: Lane, to: number) => void
  readonly drop: (dragged: string, index: number) => void
  readonly remove: (lane: MetricLane) => void
  /** Opens the file that its values were read from. */
  readonly source: (source: PlacedClock) => void
}

/** Forwards to the actions of the last render; one object serves all heads. */
export class LatestLaneActions implements LaneActions {
  private latest: LaneActions | null = null
  set(latest: LaneActions): void {
    this.latest = latest
  }
  activate = (lane: Lane) => this.latest?.activate(lane)
  enter = () => this.latest?.enter()
  choose = (lane: Lane, change: Partial<Choice>) => this.latest?.choose(lane, change)
  move = (lane: Lane, to: number) => this.latest?.move(lane, to)
  drop = (dragged: string, index: number) => this.latest?.drop(dragged, index)
  remove = (lane: MetricLane) => this.latest?.remove(lane)
  source = (source: PlacedClock) => this.latest?.source(source)
}
