import { describe, expect, it } from 'vitest'
import type { components } from '@/api/schema'
import { timeScale } from '@/charts/time'
import { firstLook, layoutSnapshots, layoutStalls, wholeRange } from './marks'

type Stall = components['schemas']['StallDoc']
type Snapshot = components['schemas']['SnapshotMark']

const stall = (onset: string, end: string | null, kind: Stall['kind'] = 'stall'): Stall => ({
  kind,
  onset,
  end,
  baseline: null,
  duration_s: null,
  peak_at: null,
  peak_waiters: null,
  evidence: [],
  note: '',
  host: null,
  computed: null,
  corrected_by: null,
})
const snapshot = (time: string, waiters: number): Snapshot => ({
  time,
  waiters,
  lock_waits: null,
  sessions: null,
  kind: 'innodb_status',
  artifact: 'a',
  index: 0,
  line_first: 1,
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

  it('is open to the right when the capture ends inside the stall', () => {
    expect(layoutStalls([stall('2026-11-20T22:19:30Z', null)], x, 600)).toMatchObject([
      { x: 300, width: 300, open: true },
    ])
  })
})

describe('layoutSnapshots', () => {
  it('merges crowded ticks and keeps the worst of them', () => {
    const ticks = layoutSnapshots(
      [
        snapshot('2026-11-20T22:19:30.000Z', 1),
        snapshot('2026-11-20T22:19:30.200Z', 301),
        snapshot('2026-11-20T22:19:50.000Z', 30),
      ],
      x,
      600,
    )
    expect(ticks).toHaveLength(2)
    expect(ticks[0]).toMatchObject({ count: 2, waiters: 301, weight: 1 })
  })
})

describe('ranges', () => {
  const marks = {
    stalls: [stall('2026-11-20T22:19:49Z', '2026-11-20T22:20:49Z')],
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
})
