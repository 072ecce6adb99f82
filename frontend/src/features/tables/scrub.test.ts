import { describe, expect, it } from 'vitest'
import { findMoment, fullest, layoutBars, momentId } from './scrub'

const moment = (snapshot: number, second: number | null, active: number) => ({
  time: second === null ? null : `2026-11-20T22:19:${String(second).padStart(2, '0')}Z`,
  artifact: 'a'.repeat(64),
  path: 'processlist',
  snapshot,
  sessions: active + 5,
  active,
})
const list = [moment(0, 0, 2), moment(1, 10, 300), moment(2, 20, 300), moment(3, null, 1)]

describe('the scrubber', () => {
  it('places moments by time, the fullest of each column', () => {
    const bars = layoutBars(list, 206)
    expect(bars.map((bar) => [Math.round(bar.x), bar.moment.snapshot])).toEqual([
      [0, 0],
      [100, 1],
      [200, 2],
    ])
    const many = Array.from({ length: 5000 }, (_, at) => moment(at, 30, at % 7))
    expect(layoutBars(many, 300).length).toBeLessThanOrEqual(51)
    expect(layoutBars([], 300)).toEqual([])
  })
  it('places moments without a time in their order', () => {
    const bars = layoutBars([moment(0, null, 1), moment(1, null, 2)], 106)
    expect(bars.map((bar) => bar.x)).toEqual([0, 100])
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
