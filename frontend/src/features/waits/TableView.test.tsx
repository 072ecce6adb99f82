import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderScreen } from '@/testing/render'
import { BLANK_NODE } from './defaults'
import { TableView } from './TableView'
import type { WaitGraph } from './waitGraph'

it('lists who blocks most first, of equals the one nearer to the root', async () => {
  const node = (id: string, blocks_total: number, depth: number) => ({
    ...{ ...BLANK_NODE, id, label: `trx ${id}`, blocks_total, depth },
  })
  const graph = {
    against: null,
    nodes: [node('few', 1, 0), node('deep', 7, 3), node('near', 7, 1), node('most', 9, 5)],
  } as unknown as WaitGraph
  renderScreen(
    <TableView
      {...{ graph, selected: '', lasting: new Map(), persistence: undefined }}
      onSelect={() => undefined}
    />,
    '/incidents/i1/waits',
  )
  const names = await screen.findAllByText(/^trx /)
  expect(names.map((name) => name.textContent)).toEqual([
    ...['● trx most', '● trx near', '● trx deep', '● trx few'],
  ])
})
