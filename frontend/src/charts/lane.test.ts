import { describe, expect, it } from 'vitest'
import { layoutLane, pointAt, type LanePoint } from './lane'
import { timeScale } from './time'

const x = timeScale([0, 100], 100)
const flat = (...values: (number | null)[]): LanePoint[] =>
  values.map((v, i) => [i * 10, v, v, v] as const)

describe('layoutLane', () => {
  it('puts the maximum at the top and zero at the bottom', () => {
    const shape = layoutLane(flat(0, 300), x, { height: 56 })
    expect(shape?.y(300)).toBe(6)
    expect(shape?.y(0)).toBe(50)
    expect(shape?.line).toBe('M0,50L10,6')
    expect(shape?.band).toBe('')
  })

  it('leaves a gap open and shows a lone point as a dot', () => {
    const shape = layoutLane(flat(1, 2, null, 3, null, 1, 2), x, { height: 56 })
    expect(shape?.line.match(/M/g)).toHaveLength(3)
    expect(shape?.dots).toHaveLength(1)
    expect(shape?.dots[0]?.x).toBe(30)
  })

  it('draws a band only where extremes differ from the mean', () => {
    const shape = layoutLane(
      [
        [0, 1, 9, 5],
        [10, 2, 8, 5],
      ],
      x,
      { height: 56 },
    )
    expect(shape?.band).not.toBe('')
  })

  it('survives all zeros, negatives and nothing', () => {
    expect(layoutLane(flat(0, 0), x, { height: 56 })?.line).toContain('50')
    expect(layoutLane(flat(-5, 5), x, { height: 56 })?.y(-5)).toBe(50)
    expect(layoutLane(flat(null), x, { height: 56 })).toBeNull()
    expect(layoutLane([], x, { height: 56 })).toBeNull()
  })
})

describe('pointAt', () => {
  it('finds the nearest known point, not a gap', () => {
    const points = flat(1, null, 3)
    expect(pointAt(points, 9)?.[3]).toBe(1)
    expect(pointAt(points, 19)?.[3]).toBe(3)
    expect(pointAt(points, 500, 10)).toBeNull()
    expect(pointAt([], 0)).toBeNull()
  })
})
