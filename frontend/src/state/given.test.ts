import { describe, expect, it } from 'vitest'
import { draftOf, givenOf, NO_GIVEN, utcOf } from './given'

describe('utcOf', () => {
  it.each([
    ['2020-11-10T18:42', 'UTC', '2020-11-10T18:42:00.000Z'],
    ['2020-11-10T18:42:05', 'Europe/Berlin', '2020-11-10T17:42:05.000Z'],
    ['2026-07-01T12:00', 'America/Vancouver', '2026-07-01T19:00:00.000Z'],
    ['2026-11-01T03:00', 'America/Vancouver', '2026-11-01T11:00:00.000Z'],
    ['2026-03-08T03:30', 'America/Vancouver', '2026-03-08T10:30:00.000Z'],
  ])('reads %s in %s', (wall, zone, utc) => {
    expect(utcOf(wall, zone)).toBe(utc)
  })

  it('refuses what is no time', () => {
    expect(utcOf('soon', 'UTC')).toBeNull()
  })
})

describe('givenOf', () => {
  it('is null while nothing is typed', () => {
    expect(givenOf(NO_GIVEN)).toBeNull()
    expect(givenOf({ ...NO_GIVEN, host: '  ' })).toBeNull()
  })

  it('keeps a host without a time, and no distance with it', () => {
    expect(givenOf({ ...NO_GIVEN, host: ' db-7 ' })).toEqual({
      at: null,
      within_s: null,
      host: 'db-7',
    })
  })

  it('comes back from the draft of what is stored', () => {
    const given = { at: '2020-11-10T18:42:00.000Z', within_s: 300, host: 'db-7' }
    expect(givenOf(draftOf(given))).toEqual(given)
  })
})
