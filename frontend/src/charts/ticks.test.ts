import { describe, expect, it } from 'vitest'
import { timeTicks } from './ticks'

describe('ticks', () => {
  it('labels seconds in UTC and dates the first', () => {
    const range = [Date.UTC(2026, 10, 20, 22, 19), Date.UTC(2026, 10, 20, 22, 21)] as const
    const ticks = timeTicks(range, 800)
    expect(ticks[0]).toMatchObject({ label: '22:19:00', date: 'Nov 20' })
    expect(ticks[1]?.date).toBeNull()
    expect(ticks.every((tick) => tick.x >= 0 && tick.x <= 800)).toBe(true)
  })
})

describe('ticks of a long capture', () => {
  const labelled = (from: number, to: number) =>
    timeTicks([from, to], 1300).map((tick) => tick.label)
  it('say the hours between the days of a week', () => {
    const labels = labelled(Date.UTC(2026, 10, 18), Date.UTC(2026, 10, 23))
    expect(labels.slice(0, 3)).toEqual(['Nov 18', '12:00', 'Nov 19'])
  })
  it('say the years where dumps of several years are next to each other, each once', () => {
    const range = [Date.UTC(2013, 5, 19), Date.UTC(2026, 10, 20)] as const
    const ticks = timeTicks(range, 1300)
    expect(ticks[0]).toMatchObject({ label: '2014', date: null })
    expect(new Set(ticks.map((tick) => tick.label)).size).toBe(ticks.length)
  })
  it('carry the year at the first tick', () => {
    const range = [Date.UTC(2025, 10, 3), Date.UTC(2026, 1, 3)] as const
    const ticks = timeTicks(range, 600)
    expect(ticks[0]?.date).toBe('2025')
    expect(ticks.map((tick) => tick.label)).toContain('2026')
  })
})

describe('ticks', () => {
  it('have no label at the edges where it would touch the next one', () => {
    const labels = (width: number) => timeTicks([0, 60_000], width).map((tick) => tick.label)
    expect(labels(1200).every(Boolean)).toBe(true)
    const tight = labels(900)
    expect([tight[0], tight.at(-1)]).toEqual(['', ''])
    expect(tight.slice(1, -1).every(Boolean)).toBe(true)
  })

  it('leave more room at the edges for milliseconds', () => {
    const start = Date.UTC(2026, 10, 20, 22, 19)
    const labels = timeTicks([start, start + 1000], 1048).map((tick) => tick.label)
    expect(labels.slice(0, 2)).toEqual(['', '22:19:00.100'])
  })
})
