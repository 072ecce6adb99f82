/** What the painters of the plot need to know of the timeline that is shown. */
import type { Interval } from '@/charts/range'
import type { Captured } from '../model/captured'
import type { Focus } from '../model/marks'
import type { TileStore } from '../model/tiles'
import type { ClockShifts } from './clockShifts'

export type Scene = {
  readonly range: Interval
  readonly whole: Interval
  /** Of the plot, CSS pixels. */
  readonly width: number
  readonly tiles: TileStore
  readonly clocks: ClockShifts
  readonly captured: Captured
  /** Stalls and their baselines: what the value axes are clipped to. */
  readonly focus: readonly Focus[]
  /** Key of the selected mark. */
  readonly chosen: string | null
  /** The range changes with each frame: it was not committed yet. */
  readonly moving: boolean
}
