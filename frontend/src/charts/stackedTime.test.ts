import { describe, expect, it } from 'vitest'
import { indexAt, stackedTime } from './stackedTime'

const times = [0, 10, 20]

describe('stackedTime', () => {
  it('stacks the classes up to the level', () => {
    const chart = stackedTime(
      times,
      [
        { id: 'working', values: [1, 2, 1] },
        { id: 'latch', values: [0, 8, 0] },
      ],
      [0, 20],
      200,
      100,
    )
    expect(chart.top).toBe(10)
    expect(chart.y(10)).toBe(0)
    expect(chart.x(10)).toBe(100)
    expect(chart.layers.map((layer) => layer.id)).toEqual(['working', 'latch'])
    expect(chart.layers[1]?.path).toContain(',0')
  })

  it('extends the last value to the end of the range', () => {
    const { layers } = stackedTime([0], [{ id: 'a', values: [3] }], [0, 50], 100, 10)
    expect(layers[0]?.path).toMatch(/100,/)
  })

  it('takes values that are not numbers as zero', () => {
    const { top } = stackedTime(times, [{ id: 'a', values: [NaN, -4] }], [0, 20], 9, 9)
    expect(top).toBe(1)
  })
})

describe('indexAt', () => {
  it('returns the time that holds', () => {
    expect([-1, 0, 9, 10, 25].map((at) => indexAt(times, at))).toEqual([-1, 0, 0, 1, 2])
  })
})
