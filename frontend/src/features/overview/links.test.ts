import { expect, it } from 'vitest'
import { aroundStall } from './links'

it('shows a third of the stall on both sides, and 15 s at least', () => {
  const long = { onset: '2021-04-05T09:30:00Z', end: '2021-04-05T09:33:00Z', duration_s: 180 }
  expect(aroundStall(long)).toEqual({
    start: '2021-04-05T09:29:00.000Z',
    end: '2021-04-05T09:34:00.000Z',
  })
  const open = { onset: '2021-04-05T09:30:00Z', end: null, duration_s: 10 }
  expect(aroundStall(open)).toEqual({
    start: '2021-04-05T09:29:45.000Z',
    end: '2021-04-05T09:30:25.000Z',
  })
})
