import { describe, expect, it } from 'vitest'
import { bandPath, extremesOf, layoutLane, type LanePoint, linePath, valueScale } from './lane'

const range = [0, 100] as const
const box = { width: 100, height: 56, padding: 6 }
const flat = (...values: (number | null)[]): LanePoint[] =>
  values.map((v, i) => [i * 10, v, v, v] as const)

describe('layoutLane', () => {
  it('puts the maximum at the top and zero at the bottom', () => {
    const shape = layoutLane(flat(0, 300), range, box)
    expect(shape).toEqual({ line: 'M0,50L10,6', band: '' })
  })

  it('leaves a gap open', () => {
    expect(layoutLane(flat(1, 2, null, 3, null, 1, 2), range, box)?.line.match(/M/g)).toHaveLength(
      3,
    )
  })

  it('draws a band only where extremes differ', () => {
    const points: LanePoint[] = [
      [0, 1, 9, 5],
      [10, null, null, null],
      [20, 2, 8, 5],
      [30, 2, 8, 5],
    ]
    expect(layoutLane(points, range, box)?.band.match(/M/g)).toHaveLength(2)
  })

  it('survives all zeros, negatives and nothing', () => {
    expect(layoutLane(flat(0, 0), range, box)?.line).toBe('M0,50L10,50')
    expect(layoutLane(flat(-5, 5), range, box)?.line).toBe('M0,50L10,6')
    expect(layoutLane(flat(null), range, box)).toBeNull()
    expect(layoutLane([], range, box)).toBeNull()
  })
})

it('paths and extremes take points of any shape', () => {
  const points = [4, null, 8]
  const [x, y] = [() => 1, (value: number | null) => value]
  expect(extremesOf(points, y, y)).toEqual([4, 8])
  expect(linePath(points, x, y)).toBe('M1,4ZM1,8Z')
  expect(bandPath(points, x, y, y)).toBe('')
  expect([4, 6, 8].map(valueScale([4, 8], { top: 10, height: 20, padding: 5 }))).toEqual([
    25, 20, 15,
  ])
})
