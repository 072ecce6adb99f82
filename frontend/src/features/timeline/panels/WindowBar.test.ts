import { expect, it } from 'vitest'
import { ranked } from './WindowBar'

it('ranks lanes by how many times they changed', () => {
  const of = (id: string, before: number | null, now: number | null) => ({
    ...{ id, before, now, min: 0, max: 0, samples: 1 },
  })
  const found = ranked([
    of('a', 10, 11),
    of('b', 10, 1),
    of('c', 1, 50),
    of('d', null, 3),
    of('e', 0, 7),
  ])
  expect(found.map(({ lane }) => lane.id)).toEqual(['c', 'b', 'e'])
})
