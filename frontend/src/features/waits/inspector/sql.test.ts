import { expect, it } from 'vitest'
import { sqlParts } from './sql'

const kinds = (sql: string) =>
  sqlParts(sql)
    .filter((part) => part.kind !== 'plain')
    .map((part) => `${part.kind}:${part.text}`)

it('knows words, strings, numbers and comments, and loses nothing', () => {
  const sql = "SELECT `from`, t1.c /* why */ FROM t1 WHERE a = 'it''s' AND n > 12.5 -- end"
  expect(kinds(sql)).toEqual([
    'keyword:SELECT',
    'comment:/* why */',
    'keyword:FROM',
    'keyword:WHERE',
    "string:'it''s'",
    'keyword:AND',
    'number:12.5',
    'comment:-- end',
  ])
  expect(
    sqlParts(sql)
      .map((part) => part.text)
      .join(''),
  ).toBe(sql)
})
it('takes a cut-off string to the end', () => {
  expect(kinds("UPDATE t SET a='it is cut o")).toEqual([
    'keyword:UPDATE',
    'keyword:SET',
    "string:'it is cut o",
  ])
})
