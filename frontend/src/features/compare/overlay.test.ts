import { describe, expect, it } from 'vitest'
import { betweenCaptures, layoutOverlay, overlayRows, overlaySentence, valuesAt } from './overlay'
import type { OverlayDoc } from './queries'

const doc = (align: OverlayDoc['align']): OverlayDoc => ({
  series: 'm.x',
  unit: null,
  align,
  samples: 4,
  lines: [0, 1].map((side) => ({
    side,
    label: `side ${side}`,
    host: null,
    zero: '2026-11-20T22:00:00Z',
    points: [
      [-60, 1, 1, 1],
      [60, 10 + side, 5, 20],
    ],
  })),
})

describe('an overlay', () => {
  it('has one axis with second 0 on it', () => {
    const drawn = layoutOverlay(doc('onset'), 456, 100, { left: 48 })
    expect(drawn?.zero).toBe(248)
    expect(drawn?.shapes.map((shape) => shape.side)).toEqual([0, 1])
    expect(drawn?.shapes[0]?.line.startsWith('M48,')).toBe(true)
    expect(drawn?.x.some((item) => item.label === '+50 s')).toBe(true)
  })

  it('has no second 0 by the clock, and nothing without a sample', () => {
    expect(layoutOverlay(doc('clock'), 400, 100)?.zero).toBeNull()
    expect(layoutOverlay({ ...doc('onset'), lines: [] }, 400, 100)).toBeNull()
  })

  it('draws no line across the time between captures', () => {
    const captures = [
      { first: '2026-11-20T22:00:30Z', last: '2026-11-20T22:10:00Z' },
      { first: '2026-11-20T21:50:00Z', last: '2026-11-20T21:59:30Z' },
    ]
    const gaps = betweenCaptures(captures)
    expect(gaps).toHaveLength(1)
    const moves = (of: typeof gaps) =>
      layoutOverlay(doc('onset'), 456, 100, { gaps: [of, []] })?.shapes.map(
        (shape) => shape.line.split('M').length - 1,
      )
    expect(moves(gaps)).toEqual([2, 1])
    expect(moves([])).toEqual([1, 1])
  })

  it('labels clock time in the shown zone, as the timeline does', () => {
    const labels = (zone: string) =>
      layoutOverlay(doc('clock'), 500, 100, { zone })?.x.map((tick) => tick.label)
    expect(labels('UTC')).toContain('00:00:00')
    expect(labels('+05:30')).toContain('05:30:00')
  })
})

it('says what each line has at an instant, and nothing far from its samples', () => {
  expect(valuesAt(doc('onset'), 58, 5)).toEqual(['5–20', '5–20'])
  expect(valuesAt(doc('onset'), -60, 5)).toEqual(['1', '1'])
  expect(valuesAt(doc('onset'), 0, 5)).toEqual([null, null])
  const drawn = layoutOverlay(doc('onset'), 456, 100, { left: 48 })
  expect(drawn?.secondsAt(248)).toBe(0)
  expect(drawn?.secondsAt(-100)).toBe(-60)
  expect(drawn?.pxOf(0)).toBe(248)
})

it('says in a sentence what it shows, and gives its points as rows', () => {
  expect(overlaySentence('m.x', doc('onset'))).toBe(
    'm.x in A side 0 between 1 and 20, in B side 1 between 1 and 20.',
  )
  expect(overlayRows(doc('onset')).rows[3]).toEqual(['B', 'side 1', 60, 11, 5, 20])
})
