import { describe, expect, it } from 'vitest'
import { numbersIn } from './numbers'

const seen = (text: string) =>
  numbersIn(text.split('\n'), 7).map(({ name, value, unit }) => [name, value, unit])

describe('numbers in prose', () => {
  it('take their name and unit from the words around them', () => {
    expect(seen('original: ~16 inserts/second and ~10,000 queries/second')).toEqual([
      ['inserts', 16, '/s'],
      ['queries', 10000, '/s'],
    ])
    expect(
      seen('For the last test, CPU utilization was ~1% without it and over 90% with it.'),
    ).toEqual([
      ['CPU utilization', 1, '%'],
      ['CPU utilization without', 90, '%'],
    ])
    expect(seen('latency 3.5 ms, 12 per second')).toEqual([
      ['latency', 3.5, 'ms'],
      ['', 12, ''],
    ])
  })

  it('name their line, and are no parts of dates, times, versions or words', () => {
    expect(numbersIn(['', 'QPS: 102 481'], 3)).toMatchObject([{ value: 102481, line: 4 }])
    expect(seen('2012-10-24 22:27:19 MySQL 5.7.31 on db-7, node3')).toEqual([])
  })

  it.each([
    ['an empty line', ''],
    ['a list', '1,2,3'],
    ['an address', '0x7f5d 1e999 ...'],
    ['a rule', '-'.repeat(500)],
    ['a long row', '1 '.repeat(400)],
  ])('of %s are finite, and few', (_what, text) => {
    const found = numbersIn([text], 1)
    expect(found.length).toBeLessThanOrEqual(50)
    expect(found.every(({ value }) => Number.isFinite(value))).toBe(true)
  })
})
