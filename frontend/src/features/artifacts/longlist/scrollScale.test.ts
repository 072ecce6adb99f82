import { describe, expect, it } from 'vitest'
import { contentPx, isScaled, lastTop, MAX_PX, rowsSeen, scrollAt, topAt } from './scrollScale'

const short = { count: 1000, rowPx: 18, viewPx: 540 }
const long = { count: 10_000_000, rowPx: 18, viewPx: 540 }

describe('a list of any length', () => {
  it('stands as it is up to the limit, and never higher', () => {
    expect(isScaled(short)).toBe(false)
    expect(contentPx(short)).toBe(18_000)
    expect(isScaled(long)).toBe(true)
    expect(contentPx(long)).toBe(MAX_PX)
  })
  it.each([short, long])('goes to both ends, and back to where it came from', (m) => {
    expect(topAt(m, 0)).toBe(0)
    expect(topAt(m, contentPx(m) - m.viewPx)).toBeCloseTo(lastTop(m), 3)
    for (const top of [0, 1, 17.5, m.count / 2, lastTop(m)]) {
      expect(topAt(m, scrollAt(m, top))).toBeCloseTo(top, 3)
    }
  })
  it('sees the last row at the end, and nothing beyond', () => {
    expect(rowsSeen(long, lastTop(long))[1]).toBe(9_999_999)
    expect(rowsSeen(short, 0)).toEqual([0, 30])
    expect(rowsSeen({ ...short, count: 0 }, 0)).toEqual([0, -1])
    expect(rowsSeen({ ...short, count: 3 }, 0)).toEqual([0, 2])
  })
})
