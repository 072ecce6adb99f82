import { describe, expect, it } from 'vitest'
import { clippedDomain, overflows } from './clipped'
import type { Run } from './tileLane'

const run = (values: readonly number[]): Run => {
  const column = Float64Array.from(values)
  const at = Float64Array.from(values, (_, i) => i)
  const tile = { start: 0, end: values.length, at, mid: column, low: column, high: column }
  return { tiles: [{ ...tile, plain: true, own: [0, values.length] }], from: 0, to: values.length }
}
const burst = [...Array<number>(30).fill(10), ...Array<number>(30).fill(1), 5000, 9000, 10]

describe('clippedDomain', () => {
  it('keeps the baseline and the stall readable next to a burst', () => {
    expect(
      clippedDomain([run(burst)], [0, 63], [[0, 29.5], [30, 59.5]]), // prettier-ignore
    ).toEqual([1, 10])
  })
  it('is not stretched by the first sample of the burst', () => {
    expect(clippedDomain([run(burst)], [0, 63], [[0, 29.5], [30, 60]])?.[1]).toBe(10) // prettier-ignore
  })
  it('shows everything without a stall in sight, or where nothing is much higher', () => {
    expect(clippedDomain([run(burst)], [0, 63], [])).toEqual([1, 9000])
    expect(clippedDomain([run(burst)], [0, 63], [[100, 200]])).toEqual([1, 9000])
    expect(clippedDomain([run([1, 10, 11])], [0, 3], [[0, 1]])).toEqual([1, 11])
  })
  it('never hides a stall in which a quiet series wakes up', () => {
    const quiet = [...Array<number>(30).fill(0), 7, 8]
    expect(clippedDomain([run(quiet)], [0, 32], [[0, 29], [30, 32]])).toEqual([0, 8]) // prettier-ignore
  })
  it('has no axis without values', () => {
    expect(clippedDomain([], [0, 9], [[0, 9]])).toBeNull()
  })
})

describe('overflows', () => {
  it('marks each stretch above the axis once, at its highest', () => {
    const peaks = overflows([run([1, 50, 90, 1, 1, 1, 70])], [0, 7], 10, (at) => at * 10)
    expect(peaks).toMatchObject([
      { px: 20, value: 90 },
      { px: 60, value: 70 },
    ])
  })
  it('marks nothing that fits', () => {
    expect(overflows([run([1, 2])], [0, 2], 2, (at) => at)).toEqual([])
  })
})
