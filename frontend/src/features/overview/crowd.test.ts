import { describe, expect, it } from 'vitest'
import { crowd } from './crowd'

describe('crowd', () => {
  it('has a square per session, and stays small for many', () => {
    for (const count of [1, 2, 5, 160, 200, 201, 1512, 100_000]) {
      const { squares, each, width } = crowd(count)
      expect(squares.length).toBe(Math.ceil(count / each))
      expect(squares.length).toBeLessThanOrEqual(200)
      expect(new Set(squares.map(String)).size).toBe(squares.length)
      expect(width).toBeLessThanOrEqual(200)
    }
  })
})
