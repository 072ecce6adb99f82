/**
 * Layout of values of several classes stacked over time. Times are epoch milliseconds; a value holds
 * until the next time. A missing or negative value counts as zero in the stack of its time.
 */
import { scaleLinear } from 'd3-scale'
import { area, curveStepAfter } from 'd3-shape'
import type { Interval } from './range'

type StackedClass = { readonly id: string; readonly values: readonly number[] }
type StackedLayer = { readonly id: string; readonly path: string }

type StackedTime = {
  /** Lowest class first. */
  readonly layers: readonly StackedLayer[]
  /** The highest stack. */
  readonly top: number
  readonly x: (at: number) => number
  readonly y: (value: number) => number
}

/** Stack classes over `range`; the first class lies at the bottom. */
export function stackedTime(
  times: readonly number[],
  classes: readonly StackedClass[],
  range: Interval,
  width: number,
  height: number,
): StackedTime {
  const totals = times.map((_, at) => classes.reduce((sum, item) => sum + valueAt(item, at), 0))
  const top = Math.max(1, ...totals)
  const x = scaleLinear([range[0], Math.max(range[1], range[0] + 1)], [0, width])
  const y = scaleLinear([0, top], [height, 0])
  const floor = times.map(() => 0)
  const layers = classes.map((item) => {
    const rows = times.map((at, index) => {
      const low = floor[index] ?? 0
      const high = low + valueAt(item, index)
      floor[index] = high
      return { at, low, high }
    })
    const last = rows.at(-1)
    if (last && last.at < range[1]) rows.push({ ...last, at: range[1] })
    const shape = area<(typeof rows)[number]>()
      .curve(curveStepAfter)
      .x((row) => x(row.at))
      .y0((row) => y(row.low))
      .y1((row) => y(row.high))
    return { id: item.id, path: shape(rows) ?? '' }
  })
  return { layers, top, x, y }
}

/** Return the index of the time that holds at an instant; -1 before the first. */
export function indexAt(times: readonly number[], at: number): number {
  let low = 0
  let high = times.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((times[middle] ?? 0) <= at) low = middle + 1
    else high = middle
  }
  return low - 1
}

function valueAt(item: StackedClass, index: number): number {
  const value = item.values[index] ?? 0
  return Number.isFinite(value) && value > 0 ? value : 0
}
