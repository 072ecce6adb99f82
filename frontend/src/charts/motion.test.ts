import { afterEach, expect, it, vi } from 'vitest'
import { animate, motionMs, rangesBetween } from './motion'

afterEach(() => vi.unstubAllGlobals())

const prefer = (reduced: boolean) =>
  vi.stubGlobal('matchMedia', (query: string) => ({
    matches: query.includes(reduced ? 'reduce)' : 'no-preference'),
  }))

it('nothing moves for somebody who prefers reduced motion', () => {
  const steps: number[] = []
  for (const element of [document.createElement('p'), null]) {
    prefer(true)
    animate(element, (share) => steps.push(share))
  }
  expect([motionMs(), ...steps]).toEqual([0, 1, 1])
})

it('a motion takes frames, grows to 1, and gives way to the next', async () => {
  prefer(false)
  const element = document.createElement('p')
  const first: number[] = []
  const second: number[] = []
  animate(element, (share) => first.push(share))
  await new Promise((done) => setTimeout(done, 60))
  animate(element, (share) => second.push(share))
  const steps = first.length
  await vi.waitFor(() => expect(second.at(-1)).toBe(1))
  expect(first).toHaveLength(steps)
  expect(second).toEqual([...second].sort((a, b) => a - b))
})

it('a range is reached exactly, and a far one over a wider view', () => {
  const between = rangesBetween([1e12, 1e12 + 1000], [1e12 + 900_000, 1e12 + 901_000])
  const [start, end] = between(0.5)
  expect(end - start).toBeGreaterThan(100_000)
  expect(between(0).map(Math.round)).toEqual([1e12, 1e12 + 1000])
  expect(between(1)).toEqual([1e12 + 900_000, 1e12 + 901_000])
  const [left, right] = rangesBetween([0, 1000], [0, 1000])(0.3)
  expect([left, right].map(Math.round)).toEqual([0, 1000])
})
