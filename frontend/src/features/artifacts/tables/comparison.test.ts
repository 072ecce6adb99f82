import { describe, expect, it } from 'vitest'
import type { TableComparison, TableRef } from '@/api/schema'
import { comparisonTsv, differing, firstPair, likeliest, partners, signed } from './comparison'

const table = (artifact: string, name: string, columns: string[]): TableRef => ({
  artifact,
  path: `${artifact}.txt`,
  name,
  columns,
  rows: 1,
  line_first: 1,
  line_last: 2,
})
const a = table('a', 'pages', ['table', 'n'])
const b = table('b', 'pages', ['n', 'table'])
const other = table('b', 'other', ['table', 'n'])
const wide = table('b', 'wide', ['table', 'n', 'm'])
const alien = table('c', 'alien', ['x'])

describe('a comparison of tables', () => {
  it('offers tables of the same columns first, and never one that shares nothing', () => {
    const { same, some } = partners([a, other, b, wide, alien], a)
    expect(same).toEqual([other, b])
    expect(some).toEqual([wide])
    expect(likeliest([a, other, b, wide, alien], a)).toBe(b)
    expect(likeliest([a, alien], a)).toBeUndefined()
  })

  it('puts the earlier of two dated files before the later one', () => {
    const dated = (path: string) => ({ ...table(path, 'lsof', ['n']), path })
    const late = dated('after/2026_11_20_22_36_08.tar.gz/2026_11_20_22_36_08-lsof')
    const early = dated('2026_11_20_22_17_07.tar.gz/2026_11_20_22_17_07-lsof')
    expect(firstPair([late, early])).toEqual([early, late])
    expect(firstPair([early, late])).toEqual([early, late])
    expect(firstPair([a, b])).toEqual([a, b])
    expect(firstPair([a])).toEqual([a, undefined])
  })

  it('keeps every digit and writes the sign', () => {
    expect(signed('18446744073709551615')).toBe('+18446744073709551615')
    expect(signed('-0.000035')).toBe('−0.000035')
  })

  it('shows the columns that differ in a row that both have', () => {
    const cell = (before: string | null, after: string | null, change: string | null) => ({
      before,
      after,
      change,
      ratio: null,
    })
    const found = {
      columns: ['same', 'printed otherwise', 'moved'],
      rows: [
        {
          state: 'added',
          key: ['x'],
          cells: [cell(null, '1', null), cell(null, '1', null), cell(null, '1', null)],
        },
        {
          state: 'changed',
          key: ['y'],
          cells: [cell('1', '1', '0'), cell('1', '1.0', '0'), cell('1', '2', '1')],
        },
      ],
    } as unknown as TableComparison
    expect(differing(found)).toEqual([2])
    expect(differing({ ...found, rows: found.rows.slice(0, 1) })).toEqual([0, 1, 2])
  })

  it('is copied with before, after, difference and ratio in columns of their own', () => {
    const found: TableComparison = {
      before: a,
      after: b,
      keys: ['table'],
      columns: ['n'],
      only_before: [],
      only_after: [],
      added: 1,
      gone: 0,
      changed: 1,
      same: 0,
      ambiguous: 0,
      offset: 0,
      total: 2,
      rows: [
        {
          state: 'changed',
          key: ['app.a'],
          cells: [{ before: '100', after: '391', change: '291', ratio: 3.91 }],
        },
        {
          state: 'added',
          key: ['app\tb'],
          cells: [{ before: null, after: '1', change: null, ratio: null }],
        },
      ],
    }
    expect(comparisonTsv(found).split('\n')).toEqual([
      'state\ttable\tn before\tn after\tn difference\tn ratio',
      'changed\tapp.a\t100\t391\t291\t3.91',
      'added\tapp b\t\t1\t\t',
    ])
  })
})
