import { expect, it } from 'vitest'
import { describePlace } from './QueuePlace'

const place = (waiting: number, ahead: number, total: number, estimate_s: number | null) =>
  describePlace({ waiting, ahead, total, estimate_s })

it('describes the place in the queue', () => {
  expect(place(0, 0, 40, 9)).toBe(null)
  expect(place(1, 0, 1, null)).toBe('1 job waiting.')
  expect(place(12, 2, 640, 241)).toBe(
    '12 of 640 waiting jobs belong to this incident; 2 other jobs first; about 4 min left.',
  )
  expect(place(12, 0, 12, 20)).toBe('12 jobs waiting; less than a minute left.')
  expect(place(9000, 0, 9000, 9000)).toBe('9000 jobs waiting; about 3 h left.')
})
