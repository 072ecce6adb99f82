import { describe, expect, it } from 'vitest'
import { markRows } from './EventTable'
import { type Item, type Lane, PLAIN } from '../model/laneTypes'
import { readSpan, writeSpan } from '../model/span'

const item = (key: string, start: number, end = start, tone: Item['tone'] = 'waiting'): Item => ({
  ...{ key, start, end, label: key, tone, row: 0 },
})
const lane = (kind: 'spans' | 'snapshots', items: readonly Item[]): Lane => ({
  ...{ kind, id: kind, title: kind, sub: '', hint: '', host: null, choice: PLAIN, height: 24 },
  ...{ items, rows: 1 },
})

describe('the table of marks', () => {
  it('has what touches the window, in time order, and no snapshot in which nobody waits', () => {
    const rows = markRows(
      [
        lane('snapshots', [item('waits', 30), item('idle', 31, 31, 'idle'), item('later', 99)]),
        lane('spans', [item('over', 0, 40), item('before', 0, 9)]),
      ],
      [10, 50],
    )
    expect(rows.map((row) => [row.lane.title, row.item.key])).toEqual([
      ['spans', 'over'],
      ['snapshots', 'waits'],
    ])
  })
})

describe('a marked span', () => {
  it('is read from the address as it was written', () => {
    const span = [Date.UTC(2026, 10, 20, 22, 17, 5), Date.UTC(2026, 10, 20, 22, 18, 25)] as const
    expect(readSpan(writeSpan(span))).toEqual(span)
  })
  it('is none where the address says no stretch', () => {
    for (const written of ['', 'x', '2026-11-20T22:17:05Z', '2026-11-20T22:17:05Z/x'])
      expect(readSpan(written)).toBeNull()
    expect(readSpan('2026-11-20T22:17:05Z/2026-11-20T22:17:05Z')).toBeNull()
  })
})
