/** What a card shows, over widths, weights and sizes of the graph; and what its place leaves of it. */
import { expect, test } from 'vitest'
import type { WaitNode } from '../waitGraph'
import { cardHeight, cardIn, cardNeed, cardOf, cardText } from './card'

const node = (label: string, blocked: number, shape = '', detail = '') =>
  ({ label, blocks_total: blocked, shape, detail }) as unknown as WaitNode
const NODES = [
  node('trx 42', 0),
  node('trx 42 · session 390', 301, 'UPDATE t SET a = ? WHERE id = ?', 'idle'),
  node('RW-latch of a partition of the adaptive hash index', 7, '', 'created btr0sea.cc:194'),
  node('commit', 12, `SELECT ${'a_long_column, '.repeat(30)}b FROM t`),
]

test('a card has as many lines as its width, weight and graph allow', () => {
  const cards = NODES.flatMap((each) =>
    [80, 168, 300].flatMap((width) =>
      [0, 0.25, 1].flatMap((weight) =>
        [1, 16, 17, 60].map((nodes) => {
          const card = cardOf(each, width, weight, nodes)
          return `${width} ${weight} ${nodes}: ${JSON.stringify(card)} ${cardHeight(card, weight)}`
        }),
      ),
    ),
  )
  expect(cards).toMatchSnapshot()
  expect(
    NODES.map((each) => [cardText(each), cardNeed(each, 1), cardNeed(each, 2), cardNeed(each, 3)]),
  ).toMatchSnapshot()
})

test('in a lower place the statement loses lines before the label does', () => {
  const card = { labelLines: 2, verb: true, lines: 4, facts: 2 }
  const heights = [143, 142, 128, 113, 98, 83, 82, 68, 53, 10]
  expect(heights.map((most) => [most, cardIn({ card, height: 143 }, most)])).toMatchSnapshot()
  expect(cardIn({ card: null, height: 40 }, 30)).toEqual({ card: null, height: 30 })
  expect(cardIn({ card: null, height: 20 }, 30)).toEqual({ card: null, height: 20 })
})
