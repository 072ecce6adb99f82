import { describe, expect, it } from 'vitest'
import {
  arranged,
  groupsOf,
  lookOf,
  moved,
  orderOf,
  placeOf,
  ratingOf,
  describeCell,
} from './matrix'
import type { Matrix, MatrixCell, MatrixHypothesis, MatrixRow } from './matrix'

const cell: MatrixCell = {
  hypothesis_id: 'h1',
  mine: null,
  shown: null,
  points: null,
  votes: [],
  blind: false,
  disagreement: null,
  proposed: null,
  comments: 0,
}
const row = (label: string, kind: string): MatrixRow => ({
  pin_id: label,
  label,
  title: label,
  kind,
  view: '/incidents/i/overview',
  stale: false,
  credibility: 'normal',
  relevance: 'normal',
  weight: 1,
  weight_revision: 0,
  diagnosticity: null,
  discriminates: true,
  cells: [cell],
})

describe('keys', () => {
  it('rates by 1 to 5, 0 and Backspace, and by nothing else', () => {
    expect(['1', '2', '3', '4', '5', '0'].map(ratingOf)).toEqual(['CC', 'C', 'N', 'I', 'II', 'NA'])
    expect(ratingOf('Backspace')).toBeNull()
    expect(ratingOf('6')).toBeUndefined()
  })

  it('moves by arrows and stops at the edges', () => {
    const at = { row: 0, column: 1 }
    expect(moved(at, 'ArrowUp', 3, 2)).toEqual(at)
    expect(moved(at, 'ArrowRight', 3, 2)).toEqual(at)
    expect(moved(at, 'ArrowDown', 3, 2)).toEqual({ row: 1, column: 1 })
    expect(moved(at, 'Home', 3, 2)).toEqual({ row: 0, column: 0 })
    expect(moved({ row: 2, column: 0 }, 'ArrowDown', 3, 2)).toEqual({ row: 2, column: 0 })
    expect(moved(at, 'x', 3, 2)).toBeNull()
  })
})

describe('layout', () => {
  it('groups rows by kind and counts on through the groups', () => {
    const rows = [row('E2', 'observation'), row('E1', 'observation'), row('E3', 'testimony')]
    expect(groupsOf(rows).map((item) => [item.title, item.first, item.rows.length])).toEqual([
      ['Observations', 0, 2],
      ['Testimony', 2, 1],
    ])
    expect(groupsOf([])).toEqual([])
  })

  it('holds the order while somebody rates, and puts what is new last', () => {
    const of = (labels: readonly string[], ids: readonly string[]) =>
      ({
        hypotheses: ids.map((id) => ({ id, label: id })),
        rows: labels.map((label) => ({
          ...row(label, 'observation'),
          cells: ids.map((id) => ({ ...cell, hypothesis_id: id })),
        })),
      }) as unknown as Matrix
    const held = orderOf(of(['E1', 'E2'], ['a', 'b']))
    const now = arranged(of(['E3', 'E2', 'E1'], ['c', 'b', 'a']), held)
    expect(now.rows.map((row) => row.label)).toEqual(['E1', 'E2', 'E3'])
    expect(now.hypotheses.map((hypothesis) => hypothesis.id)).toEqual(['a', 'b', 'c'])
    expect(now.rows[0]?.cells.map((cell) => cell.hypothesis_id)).toEqual(['a', 'b', 'c'])
    expect(placeOf(now, { pin: 'E2', hypothesis: 'b' })).toEqual({ row: 1, column: 1 })
    expect(placeOf(now, { pin: 'gone', hypothesis: 'b' })).toEqual({ row: 0, column: 1 })
    expect(arranged(now, null)).toBe(now)
  })

  it('tints by side and strength, and in disagreement only where people are apart', () => {
    expect(lookOf({ ...cell, shown: 'II' }, 'consensus').tint).toBe('against-2')
    expect(lookOf({ ...cell, shown: 'C' }, 'mine').tint).toBe('for-1')
    expect(lookOf({ ...cell, shown: 'NA' }, 'mine').tint).toBe('na')
    const apart = { ...cell, shown: 'N' as const, disagreement: 2 }
    expect(lookOf(apart, 'disagreement')).toMatchObject({ tint: 'apart', apart: 1 })
    expect(lookOf({ ...cell, shown: 'CC' }, 'disagreement').tint).toBe('none')
    const looks = [null, 0, 0.5, 1, 2, 4].map((disagreement) =>
      lookOf({ ...cell, shown: 'CC', disagreement }, 'disagreement'),
    )
    expect(looks.map(({ apart: share }) => share)).toEqual([0, 0, 0.25, 0.5, 1, 1])
    expect(looks.map(({ tint }) => tint)).toEqual(['none', 'none', ...Array(4).fill('apart')])
  })

  it('marks a proposal as one until somebody rates', () => {
    const proposed = { rating: 'CC' as const, rule: 'finding x', why: '87 of 91' }
    expect(lookOf({ ...cell, proposed }, 'consensus')).toMatchObject({
      letter: 'CC',
      tint: 'none',
      proposed: true,
    })
    expect(lookOf({ ...cell, proposed: null, shown: 'C' }, 'consensus').proposed).toBe(false)
  })

  it('says a cell in a sentence, and that others are hidden', () => {
    const hypothesis = { label: 'H2' } as MatrixHypothesis
    const proposed = { rating: 'CC' as const, rule: 'finding x', why: '87 of 91' }
    expect(describeCell(row('E1', 'absence'), hypothesis, { ...cell, proposed })).toBe(
      'E1 under H2, proposed: very consistent',
    )
    expect(
      describeCell(row('E1', 'absence'), hypothesis, {
        ...cell,
        proposed,
        shown: 'N',
        mine: 'N',
        disagreement: 1.25,
      }),
    ).toBe('E1 under H2, neutral, people disagree by 1.3')
    expect(describeCell(row('E1', 'absence'), hypothesis, { ...cell, blind: true })).toBe(
      'E1 under H2, not rated, others rated; hidden until you rate',
    )
    expect(
      describeCell(row('E1', 'absence'), hypothesis, {
        ...cell,
        shown: 'N',
        mine: 'II',
        comments: 2,
      }),
    ).toBe('E1 under H2, neutral, you: very inconsistent, 2 comments')
  })
})
