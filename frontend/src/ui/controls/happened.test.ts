import { describe, expect, it } from 'vitest'
import { happenedText, NOW, readHappened, typedHappened } from './happened'

describe('a time as a person types it', () => {
  it.each([
    ['', NOW],
    ['2026-11-03', { at: '2026-11-03T00:00:00.000Z', precision: 'day' }],
    ['2026-11-03 18:42', { at: '2026-11-03T17:42:00.000Z', precision: 'exact' }],
    ['~2026-11-03 18:42', { at: '2026-11-03T17:42:00.000Z', precision: 'about' }],
    ['about 2026-11-03 18:42 UTC', { at: '2026-11-03T18:42:00.000Z', precision: 'about' }],
    ['2026-07-03 18:42:05', { at: '2026-07-03T16:42:05.000Z', precision: 'exact' }],
    ['2026-11-03T18:42-08:00', { at: '2026-11-04T02:42:00.000Z', precision: 'exact' }],
    ['yesterday', null],
    ['2026-02-30', null],
    ['2026-11-03 25:00', null],
  ])('%s', (typed, read) => {
    expect(readHappened(typed, 'Europe/Berlin')).toEqual(read)
  })

  it('is the same after it was shown and read again', () => {
    for (const zone of ['UTC', 'Europe/Berlin', 'America/Vancouver', '+05:30']) {
      for (const precision of ['exact', 'about', 'day'] as const) {
        const at = '2026-11-03T00:00:00.000Z'
        expect(readHappened(typedHappened(at, precision, zone), zone)).toEqual({ at, precision })
      }
    }
  })

  it('names a day as the same day in every zone', () => {
    expect(happenedText('2026-11-03T00:00:00Z', 'day', 'America/Vancouver')).toBe('2026-11-03')
  })
})
