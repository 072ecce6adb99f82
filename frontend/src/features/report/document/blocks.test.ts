import { expect, test } from 'vitest'
import { blockAt, blocksOf, insertion, removal } from './blocks'

const TEXT = `**Story.** It stalled.
It ended.

::waits{at="2026-11-20T22:19:49Z"}

- first
- second

  more of the second
- third

| a | b |
|---|---|
| 1 | 2 |

Table: what it shows.
## Head
tail

\`\`\`sql
select 1

from t
\`\`\`
`
const words = (text: string) => blocksOf(text).map(({ from, to }) => text.slice(from, to))
const apply = (text: string, { from, to, insert }: ReturnType<typeof removal>) =>
  text.slice(0, from) + insert + text.slice(to)

test('a block is a paragraph, item, table with caption, heading, live block or code', () => {
  expect(words(TEXT)).toEqual([
    '**Story.** It stalled.\nIt ended.',
    '::waits{at="2026-11-20T22:19:49Z"}',
    '- first',
    '- second\n\n  more of the second',
    '- third',
    '| a | b |\n|---|---|\n| 1 | 2 |\n\nTable: what it shows.',
    '## Head',
    'tail',
    '```sql\nselect 1\n\nfrom t\n```',
  ])
})

test('the block at a position, also between blocks', () => {
  const blocks = blocksOf('one\n\ntwo\n')
  expect([0, 3, 4, 5, 9].map((at) => blockAt(blocks, at))).toEqual([0, 0, 1, 1, 1])
  expect(blockAt([], 0)).toBe(-1)
})

test('moving any block anywhere keeps every block, in the new order', () => {
  const before = words(TEXT)
  for (let index = 0; index < before.length; index++) {
    const without = apply(TEXT, removal(TEXT, index))
    expect(words(without)).toEqual(before.filter((_, each) => each !== index))
    for (let to = 0; to < before.length; to++) {
      const expected = before.filter((_, each) => each !== index)
      expected.splice(to, 0, before[index] ?? '')
      expect(words(apply(without, insertion(without, to, before[index] ?? '')))).toEqual(expected)
    }
  }
})

test('a block into an empty text', () => {
  expect(apply('\n', insertion('\n', 0, '::lane'))).toBe('::lane\n')
})
