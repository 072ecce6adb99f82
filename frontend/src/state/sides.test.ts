import { describe, expect, it } from 'vitest'
import { isReady, MOST, presets, referenceCodec, side, sidesCodec, writeSide } from './sides'

describe('sides in the address', () => {
  it('come back as they were', () => {
    const window = side('window', { start: '2026-11-20T22:00:00Z', end: '2026-11-20T22:01:00Z' })
    const runs = side('whole', { experiments: ['e1', 'e2'] })
    const sides = [side('whole'), window, runs, side('stall', { host: 'db-1' })]
    expect(sidesCodec.read(sidesCodec.write(sides))).toEqual(sides)
    expect(sidesCodec.write([side('stall'), runs])).toEqual(['stall', 'whole|||||e1,e2'])
  })

  it('are at least two that it knows', () => {
    expect(sidesCodec.read(['nonsense|x', 'stall'])).toBeUndefined()
    expect(sidesCodec.read([])).toBeUndefined()
  })

  it('say which of them is the reference', () => {
    expect(referenceCodec.read(referenceCodec.write(2))).toBe(2)
    expect(referenceCodec.read(['AB'])).toBeUndefined()
    expect(referenceCodec.read([])).toBeUndefined()
  })

  it('wait for both ends of a window', () => {
    expect(isReady(side('window', { start: 'x' }))).toBe(false)
    expect(isReady(side('stall'))).toBe(true)
  })

  it('offers the usual comparisons', () => {
    const stall = (id: string) => ({ id, onset: '2026-11-20T22:00:00Z', duration_s: 60 })
    const capture = (id: string) => ({
      ...{ id, host: 'db', first: null, last: null, stalls: [stall(`s-${id}`)] },
    })
    const choices = {
      ...{ hosts: ['db'], captures: [capture('a'), capture('b')], has_stall: true },
      ...{ has_baseline: false, runs: [{ id: 'r', number: 1, title: 'off', artifacts: 2 }] },
    }
    expect(presets(choices).map(({ sides }) => sides.map(writeSide))).toEqual([
      ['stall||||s-a', 'stall||||s-b'],
      ['stall', 'whole|||||r'],
    ])
  })
  it('offers captures where fewer than two stall, and nothing without a second side', () => {
    const capture = (id: string) => ({ ...{ id, host: 'db', first: null, last: null, stalls: [] } })
    const calm = { hosts: ['db'], runs: [], has_stall: false, has_baseline: false }
    const offered = presets({ ...calm, captures: [capture('a'), capture('b')] })
    expect(offered.map(({ sides }) => sides.map(writeSide))).toEqual([['whole||||a', 'whole||||b']])
    expect(presets({ ...calm, captures: [capture('a')] })).toEqual([])
  })

  it('never offers more sides than the server compares', () => {
    const captures = Array.from({ length: 9 }, (_, index) => ({
      ...{ id: `c${index}`, host: 'db', first: null, last: null, stalls: [] },
    }))
    const all = { hosts: ['db'], captures, runs: [], has_stall: true, has_baseline: true }
    for (const { sides } of presets(all)) expect(sides.length).toBeLessThanOrEqual(MOST)
  })
})
