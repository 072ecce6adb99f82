import { describe, expect, it } from 'vitest'
import { isReady, side, sideCodec } from './sides'

describe('a side in the address', () => {
  it('comes back as it was', () => {
    const window = side('window', { start: '2026-11-20T22:00:00Z', end: '2026-11-20T22:01:00Z' })
    const run = side('stall', { experiment: 'e1' })
    for (const one of [side('whole'), window, run, side('whole', { host: 'db-1' })]) {
      expect(sideCodec.read(sideCodec.write(one))).toEqual(one)
    }
    expect(sideCodec.write(side('stall'))).toEqual(['stall'])
  })

  it('ignores what it does not know', () => {
    expect(sideCodec.read(['nonsense|x'])).toBeUndefined()
    expect(sideCodec.read([])).toBeUndefined()
  })

  it('waits for both ends of a window', () => {
    expect(isReady(side('window', { start: 'x' }))).toBe(false)
    expect(isReady(side('stall'))).toBe(true)
  })
})
