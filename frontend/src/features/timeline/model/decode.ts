/** An answer with tiles as columns of numbers: what the worker makes of the bytes of a JSON body. */
import type { components } from '@/api/schema'

export type Answer = components['schemas']['Tiles']

/** One series over all tiles of an answer; times in epoch ms, a NaN in `mid` is a gap. */
export type Columns = {
  readonly id: string
  readonly at: Float64Array
  readonly mid: Float64Array
  /** The same columns as `mid` where each point is one sample. */
  readonly low: Float64Array
  readonly high: Float64Array
  readonly plain: boolean
}
export type Decoded = Pick<Answer, 'start' | 'step' | 'count' | 'first'> & {
  readonly strips: readonly Columns[]
}

export function decode({ start, step, first, count, strips }: Answer): Decoded {
  return {
    ...{ start, step, first, count },
    strips: strips.map(({ id, at, mid, low, high }) => {
      const value = columnOf(mid)
      return {
        id,
        at: Float64Array.from(at, (shift) => start + shift),
        mid: value,
        low: low ? columnOf(low) : value,
        high: high ? columnOf(high) : value,
        plain: low === null,
      }
    }),
  }
}

/** The buffers of the columns, each once: a worker hands them over instead of copying them. */
export function buffersOf({ strips }: Decoded): ArrayBuffer[] {
  const all = strips.flatMap(({ at, mid, low, high }) => [
    at.buffer,
    mid.buffer,
    low.buffer,
    high.buffer,
  ])
  return [...new Set(all)] as ArrayBuffer[]
}

function columnOf(values: readonly (number | null)[]): Float64Array {
  return Float64Array.from(values, (value) => value ?? NaN)
}
