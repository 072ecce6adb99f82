import { describe, expect, it } from 'vitest'
import type { PlacedClock } from '@/api/schema'
import { alignment } from './alignment'

const clock = (path: string, more: Partial<PlacedClock['clock']> = {}): PlacedClock => ({
  ...{ artifact: path, path, host: null },
  clock: {
    ...{
      anchors: 0,
      dispersion_s: 0,
      how: '',
      host_how: '',
      host_printed: null,
      jumps: [],
      moves: 0,
      offset_s: 0,
      outside: 0,
    },
    ...{ quality: 'exact', source: '', suggested_how: '', suggested_offset_s: null, zone: null },
    ...more,
  },
})

describe('the badge of the clocks', () => {
  it('is none while nothing is placed', () => expect(alignment([])).toBeNull())
  it('says how unsure the least sure source is', () => {
    const found = alignment([clock('a'), clock('b', { quality: 'derived', dispersion_s: 2 })])
    expect(found).toMatchObject({ short: '± 2\u202fs', unsure: false, artifact: 'b' })
    expect(alignment([clock('a')])?.short).toBe('exact')
  })
  it('says first what somebody should look at', () => {
    const wide = clock('b', { dispersion_s: 9 })
    const guessed = clock('c', { quality: 'assumed' })
    expect(alignment([wide, guessed])).toMatchObject({ short: '1 clock assumed', artifact: 'c' })
    const late = clock('d', { suggested_offset_s: -41 })
    expect(alignment([wide, guessed, late])).toMatchObject({ short: '1 clock off?', unsure: true })
  })
})
