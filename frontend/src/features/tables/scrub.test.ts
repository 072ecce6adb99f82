import { describe, expect, it } from 'vitest'
import { findMoment, fullest, layoutStretches, momentId, placeOf } from './scrub'

const moment = (snapshot: number, second: number | null, active: number) => ({
  time: second === null ? null : `2026-11-20T22:19:${String(second).padStart(2, '0')}Z`,
  artifact: 'a'.repeat(64),
  path: 'processlist',
  snapshot,
  sessions: active + 5,
  active,
  counts: [active],
  other: 0,
})
const list = [moment(0, 0, 2), moment(1, 10, 300), moment(2, 20, 300), moment(3, null, 1)]

describe('sessions over time', () => {
  it('places processlists by time, and those without a time in their order', () => {
    const [stretch, ...others] = layoutStretches(list, 214)
    expect(others).toEqual([])
    expect(stretch?.bars.map((bar) => [Math.round(bar.x), bar.column.snapshot])).toEqual([
      [0, 0],
      [100, 1],
      [200, 2],
    ])
    const untimed = layoutStretches([moment(0, null, 1), moment(1, null, 2)], 100)
    expect(untimed[0]?.bars.map((bar) => bar.x)).toEqual([0, 50])
    expect(untimed[0]?.range).toBeNull()
    expect(layoutStretches([], 300)).toEqual([])
    expect(layoutStretches([moment(0, 5, 1)], 300)[0]?.bars).toHaveLength(1)
  })
  it('draws nothing across a gap, and stays inside the width', () => {
    const seconds = [0, 1, 2, 3, 40, 41, 42, 43]
    const columns = seconds.map((second, at) => moment(at, second, 1))
    const [first, second, ...more] = layoutStretches(columns, 400)
    expect(more).toEqual([])
    expect([first?.bars.length, second?.bars.length]).toEqual([4, 4])
    expect((second?.x ?? 0) - ((first?.x ?? 0) + (first?.width ?? 0))).toBe(18)
    expect((second?.x ?? 0) + (second?.width ?? 0)).toBeCloseTo(400)
    const stretches = layoutStretches(columns, 400)
    expect(placeOf(stretches, moment(99, 20, 1))).toBeNull()
    expect(placeOf(stretches, moment(4, 40, 1))).toBeGreaterThan(second?.x ?? Infinity)
  })
  it('begins with the fullest, and finds a moment by id or by time', () => {
    expect(fullest(list)?.snapshot).toBe(1)
    expect(fullest([])).toBeNull()
    expect(findMoment(list, momentId(moment(2, 20, 300)))?.snapshot).toBe(2)
    expect(findMoment(list, '2026-11-20T22:19:12Z')?.snapshot).toBe(1)
    expect(findMoment(list, 'nonsense')).toBeNull()
    expect(findMoment(list, '')).toBeNull()
  })
})
