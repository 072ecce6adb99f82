import { describe, expect, it } from 'vitest'
import { clamped, panned, zoomed } from './range'

const whole = [0, 100_000] as const

describe('zoom and pan', () => {
  it('keeps the instant under the pointer where it is', () => {
    const [start, end] = zoomed([0, 100_000], 0.5, 25_000, whole)
    expect((25_000 - start) / (end - start)).toBeCloseTo(0.25)
  })

  it('never leaves the captured time', () => {
    expect(panned([0, 10_000], -1, whole)).toEqual([0, 10_000])
    expect(panned([95_000, 100_000], 3, whole)).toEqual([95_000, 100_000])
    expect(zoomed([0, 100_000], 10, 50_000, whole)).toEqual(whole)
    expect(clamped([-50, 200_000], whole)).toEqual(whole)
  })

  it('is never narrower than a second', () => {
    const [start, end] = zoomed([50_000, 51_000], 0.001, 50_500, whole)
    expect(end - start).toBe(1000)
  })
})
