import { describe, expect, it } from 'vitest'
import type { CaptureDoc } from '@/api/schema'
import { withoutGaps } from '@/charts/range'
import { Captured, gapsOf } from './captured'

const at = (second: number) => new Date(second * 1000).toISOString()
const capture = (
  host: string,
  first: number,
  last: number,
  ...gaps: [number, number][]
): CaptureDoc => ({
  ...{ id: `${host}@${first}`, host, first: at(first), last: at(last), verdict: 'calm', text: '' },
  ...{ artifacts: [], episodes: [], short_stalls: 0, interval_s: 1, bundles: [] },
  ...{ gaps: gaps.map(([start, end]) => ({ start: at(start), end: at(end) })) },
  active_sessions: null,
})

describe('gapsOf', () => {
  it('is between captures and where one was silent', () => {
    expect(gapsOf([capture('a', 100, 110), capture('a', 0, 20, [5, 9])])).toEqual([
      [5000, 9000],
      [20_000, 100_000],
    ])
  })
  it('is nowhere that another capture observes', () => {
    expect(gapsOf([capture('a', 0, 10), capture('b', 5, 30), capture('a', 25, 40)])).toEqual([])
    const both = new Captured([capture('a', 0, 10), capture('b', 5, 30), capture('a', 25, 40)])
    expect(both.gapsOf('a')).toEqual([[10_000, 25_000]])
    expect(both.gapsOf('unknown')).toEqual([])
    expect(both.holds([0, 40_000])).toBe(true)
    expect(both.holds([-20_000, 20_000])).toBe(false)
  })
  it('needs captures with times', () => {
    expect(gapsOf([])).toEqual([])
    expect(gapsOf([{ ...capture('a', 0, 1), first: null }])).toEqual([])
  })
})

describe('withoutGaps', () => {
  it('cuts a span, and leaves nothing of one inside a gap', () => {
    const gaps = [
      [5, 9],
      [20, 30],
    ] as const
    expect(withoutGaps([0, 25], gaps)).toEqual([
      [0, 5],
      [9, 20],
    ])
    expect(withoutGaps([6, 8], gaps)).toEqual([])
    expect(withoutGaps([10, 12], gaps)).toEqual([[10, 12]])
  })
  it('never reaches into a gap, and loses nothing else', () => {
    for (let seed = 1; seed < 200; seed++) {
      const cuts = Array.from({ length: 6 }, (_, i) => i * 10 + ((seed * (i + 3) * 7) % 9))
      const gaps = [0, 2, 4].map((i) => [cuts[i] ?? 0, cuts[i + 1] ?? 0] as const)
      const span = [seed % 30, 30 + (seed % 31)] as const
      const pieces = withoutGaps(span, gaps)
      for (let t = span[0] + 0.5; t < span[1]; t++) {
        const isInGap = gaps.some(([from, to]) => t > from && t < to)
        expect(pieces.some(([from, to]) => t > from && t < to)).toBe(!isInGap)
      }
    }
  })
})
