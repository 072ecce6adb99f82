import { expect, it } from 'vitest'
import { orderByArchive } from './archiveOrder'

const item = (
  id: string,
  parent_id: string | null = null,
  excluded = false,
  state: 'done' | 'excluded' = 'done',
) => ({ id, parent_id, excluded, state })

it('puts members under their archive, and archives that are left out last', () => {
  const items = [
    item('experiment/my.cnf', null, false, 'excluded'),
    item('old.tar'),
    item('new.tar'),
    item('my.cnf'),
    item('new/a', 'new.tar'),
    item('old/a', 'old.tar', true),
    item('orphan', 'gone'),
  ]
  expect(orderByArchive(items).map((item) => item.id)).toEqual([
    'new.tar',
    'new/a',
    'my.cnf',
    'orphan',
    'experiment/my.cnf',
    'old.tar',
    'old/a',
  ])
})
