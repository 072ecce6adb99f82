import { describe, expect, it } from 'vitest'
import type { CaptureDoc, StallDoc } from '@/api/schema'
import { choicesOf } from './stalls'

const capture = (id: string, first: string, ...episodes: string[]): CaptureDoc => ({
  ...{ id, host: 'db', first, last: first, verdict: 'stall', text: '', artifacts: [], gaps: [] },
  ...{ episodes, short_stalls: 0, interval_s: 1, bundles: [], active_sessions: null },
})
const stall = (onset: string, of: string, more: Partial<StallDoc> = {}): StallDoc => ({
  ...{ kind: 'stall', onset, end: null, duration_s: 60, baseline: null, peak_at: null },
  ...{ peak_waiters: null, peak_counts: 'waiting', evidence: [], note: '', host: 'db' },
  ...{ corrected_by: null, computed: null, capture: of, leading: false, shape: 'piled_up' },
  also: [],
  ...more,
})

describe('choicesOf', () => {
  it('lists every stall by its id, and a capture without one, in time order', () => {
    const captures = [
      capture('late', '2026-11-20T23:00:00Z'),
      capture('early', '2026-11-20T22:00:00Z', 'e1', 'e2'),
    ]
    const stalls = [
      stall('2026-11-20T22:10:00Z', 'early', { leading: true }),
      stall('2026-11-20T22:20:00Z', 'early', { kind: 'false_positive' }),
      stall('2026-11-20T22:30:00Z', 'early', { end: '2026-11-20T22:31:00Z' }),
    ]
    const choices = choicesOf({ captures, stalls })
    expect(choices.map(({ id, leading }) => [id, leading])).toEqual([
      ['e1', true],
      ['e2', false],
      ['late', false],
    ])
    expect(choices[0]).toMatchObject({
      start: '2026-11-20T22:09:40.000Z',
      end: '2026-11-20T22:11:20.000Z',
    })
  })
  it('has nothing to choose before the analysis', () => {
    expect(choicesOf({ captures: [], stalls: [] })).toEqual([])
  })
})
