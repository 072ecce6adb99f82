/** Time on an axis, UTC: the scale that d3 behaviours take, and times in the address. Times are epoch milliseconds. */
import { scaleUtc, type ScaleTime } from 'd3-scale'
import type { Interval } from './range'

export type TimeScale = ScaleTime<number, number>

export function timeScale(range: Interval, width: number): TimeScale {
  return scaleUtc([new Date(range[0]), new Date(range[1])], [0, width])
}

export function iso(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z')
}

export function parseIso(text: string | null | undefined): number | null {
  const ms = text ? Date.parse(text) : NaN
  return Number.isNaN(ms) ? null : ms
}
