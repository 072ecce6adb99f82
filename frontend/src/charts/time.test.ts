import { describe, expect, it } from 'vitest'
import { iso, parseIso } from './time'

describe('times in the address', () => {
  it('round-trips and refuses nonsense', () => {
    expect(parseIso(iso(1_795_213_189_000))).toBe(1_795_213_189_000)
    expect(iso(1_795_213_189_000)).toBe('2026-11-20T22:19:49Z')
    expect(parseIso('soon')).toBeNull()
    expect(parseIso(null)).toBeNull()
  })
})
