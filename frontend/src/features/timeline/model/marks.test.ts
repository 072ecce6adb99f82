import { describe, expect, it } from 'vitest'
import type { components } from '@/api/schema'
import { timeScale } from '@/charts/time'
import { firstLook, layoutStalls, onsetShifts, summary, wholeRange } from './marks'

type Stall = components['schemas']['StallDoc']

const stall = (onset: string, end: string | null, kind: Stall['kind'] = 'stall'): Stall => ({
  kind,
  onset,
  end,
  baseline: null,
  duration_s: null,
  peak_at: null,
  peak_waiters: null,
  peak_counts: 'waiting' as const,
  shape: 'piled_up' as const,
  also: [],
  evidence: [],
  note: '',
  host: null,
  computed: null,
  corrected_by: null,
  capture: null,
  leading: false,
})
const x = timeScale([Date.UTC(2026, 10, 20, 22, 19), Date.UTC(2026, 10, 20, 22, 20)], 600)

describe('layoutStalls', () => {
  it('clips to the plot and leaves false triggers out', () => {
    const bands = layoutStalls(
      [
        stall('2026-11-20T22:19:30Z', '2026-11-20T22:25:00Z'),
        stall('2026-11-20T22:19:10Z', '2026-11-20T22:19:12Z', 'false_positive'),
      ],
      x,
      600,
    )
    expect(bands).toMatchObject([{ x: 300, width: 300, open: false }])
  })

  it('is open to the right where the capture ends inside the stall, and never goes beyond it', () => {
    const open = { ...stall('2026-11-20T22:19:30Z', null), duration_s: 20 }
    expect(layoutStalls([open], x, 600)).toMatchObject([{ x: 300, width: 200, open: true }])
  })
})

describe('ranges', () => {
  const marks = {
    stalls: [stall('2026-11-20T22:19:49Z', '2026-11-20T22:20:49Z')],
    captures: [],
    snapshots: [],
    events: [],
    annotations: [],
    corrections: [],
    range: { start: '2026-11-20T22:00:00Z', end: '2026-11-20T23:00:00Z' },
  }
  it('looks first at the stall with some time around it', () => {
    const [start, end] = firstLook(marks) ?? [0, 0]
    expect(new Date(start).toISOString()).toBe('2026-11-20T22:19:19.000Z')
    expect(new Date(end).toISOString()).toBe('2026-11-20T22:21:19.000Z')
  })
  it('is nothing when nothing was placed', () => {
    expect(wholeRange({ ...marks, range: null })).toBeNull()
    expect(firstLook(undefined)).toBeNull()
  })

  it('says in one sentence what is to be seen', () => {
    const zone = { format: (at: string | number) => new Date(at).toISOString().slice(11, 19) }
    const corrected = {
      ...stall('2026-11-20T22:19:49Z', '2026-11-20T22:20:49Z'),
      duration_s: 60,
      peak_waiters: 301,
    }
    expect(summary({ ...marks, stalls: [corrected] }, [0, 4e12], 8, zone)).toBe(
      'Stall from 22:19:49 for 60\u202fs, up to 301 waiting; 8 lanes; 0 snapshots; 0 events.',
    )
    expect(summary(marks, [0, 1], 1, zone)).toMatch(/^No stall in this window; 1 lane;/)
  })

  it('aligns each host at its first onset', () => {
    const on = (host: string, onset: string) => ({ ...stall(onset, null), host })
    const shifts = onsetShifts([
      on('a', '2026-11-20T22:19:50Z'),
      on('a', '2026-11-20T22:30:00Z'),
      on('b', '2026-11-20T22:20:00Z'),
    ])
    expect([...shifts]).toEqual([
      ['a', 0],
      ['b', -10_000],
    ])
  })
})
