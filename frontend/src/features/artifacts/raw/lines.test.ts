import { describe, expect, it } from 'vitest'
import {
  hashOfLines,
  linesOfHash,
  marginMarks,
  nextLineAround,
  rulerTicks,
  sectionAt,
  selectionAfter,
  shortTitle,
  troubleLines,
  withFiner,
} from './lines'

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

describe('a range of lines in an address', () => {
  it('is read and written', () => {
    expect(linesOfHash('#L100-L140')).toEqual({ first: 100, last: 140 })
    expect(linesOfHash('#L140-100')).toEqual({ first: 100, last: 140 })
    expect(linesOfHash('#L7')).toEqual({ first: 7, last: 7 })
    for (const no of ['', '#', '#L', '#L0', '#canvas', '#L1-L2-L3', '#L1e9'])
      expect(linesOfHash(no)).toBeNull()
    expect(hashOfLines({ first: 100, last: 140 })).toBe('#L100-L140')
    expect(hashOfLines({ first: 7, last: 7 })).toBe('#L7')
  })
})

describe('what a person should look at', () => {
  const receipt = {
    bytes_read: 1,
    lines: 1000,
    bytes_understood: 1,
    bytes_skipped: 0,
    records: {},
    skipped: [
      { line_first: 500, line_last: 749, why: '' },
      { line_first: 10, line_last: 10, why: '' },
    ],
  }
  const problem = { artifact: 'a', path: 'p', message: 'm', expected: null, found: null }
  const detail = {
    receipt,
    problems_list: [
      { ...problem, severity: 'warning', line: 300 },
      { ...problem, severity: 'error', line: null },
    ],
  }
  it('is stepped through around the ends', () => {
    const lines = troubleLines(detail)
    expect(lines).toEqual([10, 300, 500])
    expect(nextLineAround(lines, 0, 1)).toBe(10)
    expect(nextLineAround(lines, 500, 1)).toBe(10)
    expect(nextLineAround(lines, 300, -1)).toBe(10)
    expect(nextLineAround(lines, 10, -1)).toBe(500)
    expect(nextLineAround([], 10, -1)).toBeNull()
  })
  it('is marked beside the scrollbar in proportion', () => {
    expect(rulerTicks(detail, 1000, 400)).toEqual([
      { top: 199, height: 100, mark: 'skipped' },
      { top: 3, height: 1, mark: 'skipped' },
      { top: 119, height: 2, mark: 'problem' },
    ])
    expect(rulerTicks(detail, 0, 400)).toEqual([])
  })
})

it('finds the section of a line and puts the finer ones of a dump behind it', () => {
  const section = (title: string, line_first: number, level: number) =>
    ({ title, line_first, line_last: line_first + 9, level, understood: true }) as const
  const outline = [section('22:19:09', 1, 0), section('22:19:10', 100, 0), section('11', 200, 0)]
  expect(sectionAt(outline, 150)).toBe(1)
  expect(sectionAt(outline, 96)).toBe(1)
  expect(sectionAt(outline, 10_000)).toBe(2)
  const dump = section('22:19:10', 100, 0)
  const finer = [dump, section('SEMAPHORES', 110, 1), section('LOG', 150, 1)]
  const all = withFiner(outline, 1, [...finer, section('of another dump', 210, 1)])
  expect(all.map((item) => item.title)).toEqual(['22:19:09', '22:19:10', 'SEMAPHORES', 'LOG', '11'])
  expect(withFiner(outline, -1, finer)).toBe(outline)
})

it('names a dump by its clock, and by its day where that is new', () => {
  const at = '2026-11-20 20:59:15'
  expect(shortTitle(at, undefined)).toBe('11-20 20:59:15')
  expect(shortTitle(at, '2026-11-20 20:59:10')).toBe('20:59:15')
  expect(shortTitle(at, 'ROW OPERATIONS')).toBe('20:59:15')
  expect(shortTitle('2026-11-21 00:00:01', at)).toBe('11-21 00:00:01')
  expect(shortTitle('SEMAPHORES', at)).toBe('SEMAPHORES')
})
