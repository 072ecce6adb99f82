import { describe, expect, it } from 'vitest'
import { marginMarks, selectionAfter } from './lines'

describe('the margin', () => {
  const problem = {
    artifact: 'a',
    path: 'p',
    message: 'm',
    expected: null,
    found: null,
    severity: 'warning',
  }
  const marks = marginMarks({
    receipt: {
      bytes_read: 1,
      lines: 99,
      bytes_understood: 1,
      bytes_skipped: 0,
      records: {},
      skipped: [
        { line_first: 40, line_last: 41, why: '' },
        { line_first: 10, line_last: 12, why: '' },
      ],
    },
    problems_list: [{ ...problem, line: 11 }],
  })
  it('marks skipped ranges at both ends and not beside them', () => {
    expect([9, 10, 12, 13, 39, 40, 41, 42].map(marks)).toEqual([
      null,
      'skipped',
      'skipped',
      null,
      null,
      'skipped',
      'skipped',
      null,
    ])
  })
  it('marks a problem before a skipped range', () => expect(marks(11)).toBe('problem'))
  it('has no marks before the receipt is here', () => expect(marginMarks(undefined)(1)).toBeNull())
})

describe('choosing lines', () => {
  it('chooses one, and none with a second click', () => {
    expect(selectionAfter({ first: 0, last: 0 }, 5, false)).toEqual({ first: 5, last: 5 })
    expect(selectionAfter({ first: 5, last: 5 }, 5, false)).toEqual({ first: 0, last: 0 })
  })
  it('grows with Shift in both directions', () => {
    expect(selectionAfter({ first: 5, last: 5 }, 9, true)).toEqual({ first: 5, last: 9 })
    expect(selectionAfter({ first: 5, last: 9 }, 2, true)).toEqual({ first: 2, last: 9 })
  })
})
