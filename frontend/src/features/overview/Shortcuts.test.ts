import { describe, expect, it } from 'vitest'
import { comparisons } from './Shortcuts'

const stall = (id: string) => ({ id, onset: '2026-11-20T22:00:00Z', duration_s: 60 })
const capture = (id: string, ...stalls: string[]) => ({
  ...{ id, host: 'db', first: null, last: null, stalls: stalls.map(stall) },
})
const run = (id: string) => ({ id, number: 1, title: id, artifacts: 1 })
const choices = { hosts: ['db'], captures: [], runs: [], has_stall: true, has_baseline: true }

describe('comparisons', () => {
  it('offers the stalls of several captures, and each run', () => {
    const several = [capture('a', 's1'), capture('b', 's2'), capture('c')]
    const offered = comparisons({ ...choices, captures: several, runs: [run('r1'), run('r2')] })
    expect(offered.map(({ sides }) => sides)).toEqual([
      ['baseline', 'stall'],
      ['stall||||s1', 'stall||||s2'],
      ['stall', 'whole|||||r1', 'whole|||||r2'],
      ['whole|||||r1', 'whole|||||r2'],
    ])
  })
  it('offers captures where fewer than two stall, and nothing without a second side', () => {
    const calm = { ...choices, has_stall: false, has_baseline: false }
    expect(
      comparisons({ ...calm, captures: [capture('a'), capture('b')] }).map(({ sides }) => sides),
    ).toEqual([['whole||||a', 'whole||||b']])
    expect(comparisons({ ...calm, captures: [capture('a')] })).toEqual([])
  })
  it('never offers more sides than the server compares', () => {
    const many = Array.from({ length: 9 }, (_, i) => capture(`c${i}`, `s${i}`))
    for (const { sides } of comparisons({ ...choices, captures: many })) {
      expect(sides.length).toBeLessThanOrEqual(6)
    }
  })
})
