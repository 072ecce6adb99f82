/** By how much the times of a lane are moved, and how far the clock behind them may be off. */
import type { Item, Lane } from '../model/laneTypes'

export class ClockShifts {
  private readonly uncertaintyOfItems = new WeakMap<readonly Item[], number>()

  /**
   * shifts: per host, ms added so that the onsets coincide; empty for wall clock.
   * dispersion: seconds by which the clock of an artifact may be off either way.
   */
  constructor(
    readonly shifts: ReadonlyMap<string, number> = new Map(),
    private readonly dispersion: ReadonlyMap<string, number> = new Map(),
  ) {}

  shiftOf(lane: Lane): number {
    if (lane.kind === 'metric' && lane.otherIncident) return lane.otherIncident.shift
    return (lane.host !== null ? this.shifts.get(lane.host) : undefined) ?? 0
  }

  /** How far the clock of an artifact may be off either way, ms. */
  uncertaintyOfArtifact(artifact: string | null | undefined): number {
    return 1000 * ((artifact && this.dispersion.get(artifact)) || 0)
  }

  /** The same of a lane: of marks from several artifacts the largest. */
  uncertaintyOf(lane: Lane): number {
    if (lane.kind === 'metric') return this.uncertaintyOfArtifact(lane.series.artifact)
    if (!('items' in lane)) return 0
    let most = this.uncertaintyOfItems.get(lane.items)
    if (most === undefined) {
      const sources = new Set(lane.items.map((item) => item.source))
      most = Math.max(0, ...[...sources].map((source) => this.uncertaintyOfArtifact(source)))
      this.uncertaintyOfItems.set(lane.items, most)
    }
    return most
  }
}
