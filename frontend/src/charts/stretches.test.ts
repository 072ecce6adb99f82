import { describe, expect, it } from 'vitest'
import { gapsBetween } from './range'
import { GAP_PX, placeIn, shareWidth, stretchesOf } from './stretches'

const HOUR = 3_600_000
const seconds = (start: number, count: number) =>
  Array.from({ length: count }, (_, at) => start + at * 1000)

describe('an axis with its gaps cut out', () => {
  it('finds the time that no span covers, in any order, and none inside or before them', () => {
    const spans = [
      [50, 60],
      [0, 20],
      [10, 15],
      [20, 30],
    ] as const
    expect(gapsBetween(spans)).toEqual([[30, 50]])
    expect(gapsBetween([[5, 9]])).toEqual([])
    expect(gapsBetween([])).toEqual([])
  })

  it('gives each capture the room of its moments, however far apart they are', () => {
    const times = [...seconds(0, 30), ...seconds(20 * HOUR, 30), ...seconds(49 * HOUR, 60)]
    const gaps = gapsBetween([
      [0, 29_000],
      [20 * HOUR, 20 * HOUR + 29_000],
      [49 * HOUR, 49 * HOUR + 59_000],
    ])
    const [first, second, third, ...more] = stretchesOf(times, gaps, 836, 5)
    expect(more).toEqual([])
    expect([first?.width, second?.width, third?.width]).toEqual([200, 200, 400])
    expect([first?.x, second?.x, third?.x]).toEqual([0, 200 + GAP_PX, 400 + 2 * GAP_PX])
    expect(second?.range[0]).toBe(20 * HOUR)
  })

  it('keeps room for the bar of the last moment, and places nothing in a gap', () => {
    const stretches = stretchesOf(
      [0, 1000, 9000, HOUR],
      [
        [1000, 2000],
        [9000, HOUR],
      ],
      418,
      5,
    )
    expect(stretches).toHaveLength(3)
    const [, middle, last] = stretches
    expect(placeIn(stretches, 0)).toBe(0)
    expect(placeIn(stretches, 9000)).toBe(middle?.x)
    expect(placeIn(stretches, HOUR)).toBe(last?.x)
    expect(placeIn(stretches, 1000)).toBeCloseTo((stretches[0]?.width ?? 0) - 5)
    expect(placeIn(stretches, HOUR / 2)).toBeNull()
    expect(placeIn(stretches, -1)).toBeNull()
  })

  it('is one stretch without gaps, and none without moments', () => {
    const [only, ...more] = stretchesOf([0, 10_000], [], 105, 5)
    expect(more).toEqual([])
    expect(only).toEqual({ x: 0, width: 105, range: [0, 10_500] })
    expect(stretchesOf([], [[0, 1]], 100, 5)).toEqual([])
  })

  it('lets no stretch vanish beside a long one, and fills the width', () => {
    const places = shareWidth([1, 10_000], 500)
    expect(places[0]?.width).toBeGreaterThan(20)
    const [, last] = places
    expect((last?.x ?? 0) + (last?.width ?? 0)).toBeCloseTo(500)
  })
})
