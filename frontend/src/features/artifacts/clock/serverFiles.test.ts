import { expect, test } from 'vitest'
import type { Artifact } from '@/api/schema'
import { byServer, undoOf } from './serverFiles'

const file = (id: string, host: string | null, given: string | null = null) =>
  ({ id, host, given_host: given }) as Artifact

test('files without a server come last', () => {
  const groups = byServer([
    file('a', null),
    file('b', 'db-2'),
    file('c', 'db-1'),
    file('d', 'db-2'),
  ])
  expect(groups.map(({ host, items }) => [host, items.map(({ id }) => id)])).toEqual([
    ['db-1', ['c']],
    ['db-2', ['b', 'd']],
    [null, ['a']],
  ])
})

test('undo gives each file back what a person had set', () => {
  const files = [file('a', 'x', 'x'), file('b', 'x'), file('c', 'y', 'y'), file('d', 'x', 'x')]
  expect(undoOf(files, ['a', 'b', 'd'])).toEqual([
    { ids: ['a', 'd'], host: 'x' },
    { ids: ['b'], host: null },
  ])
})
