import { expect, it } from 'vitest'
import { TARGET, targets, type Which } from './stallEdges'

const all = (...px: number[]) => {
  const which: Which[] = ['baselineStart', 'baselineEnd', 'onset', 'end']
  return [
    ...targets(
      px.map((at, i) => [which[i + which.length - px.length] ?? 'end', at]),
      1000,
    ),
  ]
}

it('leaves handles that have room where their times are', () => {
  expect(all(100, 300, 324, 800).map(([, at]) => at)).toEqual([100, 300, 324, 800])
})

it('parts onset and end of a narrow stall from their middle', () => {
  expect(all(500, 510)).toEqual([
    ['onset', 505 - TARGET / 2],
    ['end', 505 + TARGET / 2],
  ])
})

it('puts the end of the baseline left of an onset at the same time', () => {
  expect(all(100, 500, 500, 800).map(([, at]) => at)).toEqual([100, 476, 500, 800])
})

it('keeps all four apart and inside the plot at its borders', () => {
  expect(all(0, 0, 0, 0).map(([, at]) => at)).toEqual([0, 24, 48, 72])
  expect(all(1000, 1000, 1000, 1000).map(([, at]) => at)).toEqual([928, 952, 976, 1000])
})

it('accepts one handle, and none', () => {
  expect(all(700)).toEqual([['end', 700]])
  expect(all()).toEqual([])
})
