/** Lanes of the timeline: what they are and how a person can set them up. */
import type { Mark } from '@/charts/markLane'
import type { HeatRow, Series } from './documents'

export type Size = 'compact' | 'normal' | 'tall'
/** linear is clipped to the stalls in sight; full has the highest value at its top. */
export type Scale = 'linear' | 'full' | 'log' | 'shared'
export type Choice = {
  readonly size: Size
  readonly scale: Scale
  readonly pinned: boolean
  readonly folded: boolean
  /** Which of the seven categories draws it: --cat-1 to --cat-7. */
  readonly colour: number
}
export const PLAIN: Choice = {
  ...{ size: 'normal', scale: 'linear', pinned: false, folded: false, colour: 1 },
}
export const COLOURS = ['Blue', 'Orange', 'Green', 'Purple', 'Sky', 'Vermilion', 'Olive'] as const

/** The time by which notes and runs have their place. */
export type Times = 'happened' | 'recorded'

/** Fields to group lanes by. */
export const FIELDS = ['host', 'source', 'collector', 'unit', 'kind'] as const
export type Field = (typeof FIELDS)[number]
export const HEIGHTS: Readonly<Record<Size, number>> = { compact: 28, normal: 56, tall: 120 }
export const FOLDED = 20

/** A mark on a lane that is not a series: an instant or a span. */
export type Item = Mark & {
  /** The artifact whose clock stamped it, by hash. */
  readonly source?: string | null
  readonly opens?:
    | { readonly kind: 'moment'; readonly at: string }
    | { readonly kind: 'note'; readonly id: string }
    | { readonly kind: 'experiment'; readonly id: string }
    | { readonly kind: 'lines'; readonly artifact: string; readonly line: number }
}

type Common = {
  readonly id: string
  readonly title: string
  readonly sub: string
  readonly hint: string
  readonly host: string | null
  readonly choice: Choice
  readonly height: number
}
export type MetricLane = Common & {
  readonly kind: 'metric'
  readonly series: Series
  readonly unit: string | null
  /** Of another incident: ms added to its times so that its onset coincides with this one's. */
  readonly otherIncident?: {
    readonly incident: string
    readonly title: string
    readonly shift: number
  }
}
type HeatLane = Common & {
  readonly kind: 'heat'
  readonly row: HeatRow
  readonly at: Float64Array
  readonly counts: Float64Array
  /** The peak of all rows of this kind: one colour means one number in all of them. */
  readonly peak: number
}
type ItemLane = Common & {
  readonly kind: 'spans' | 'events' | 'snapshots' | 'notes'
  readonly items: readonly Item[]
  readonly rows: number
}
type GroupLane = Common & { readonly kind: 'group' }
export type Lane = MetricLane | HeatLane | ItemLane | GroupLane

export type Placed = { readonly lane: Lane; readonly y: number }
