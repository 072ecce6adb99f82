import { describe, expect, it } from 'vitest'
import { type ChartMark, chartMarks, placeMarks } from './chartMarks'

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()
const ms = (second: number) => Date.parse(at(second))

describe('chartMarks', () => {
  const cause = { kind: 'cause' as const, at: at(5), text: 'SELECT of session 7 begins' }
  const end = { kind: 'end' as const, at: at(50), text: 'session 7 ended' }

  it('marks the onset between the turning points', () => {
    const marks = chartMarks([cause, end], { onset: at(20) }, [ms(0), ms(60)])
    expect(marks.map(({ kind }) => kind)).toEqual(['cause', 'onset', 'end'])
  })

  it('leaves the onset out where a turning point is as near', () => {
    const marks = chartMarks([cause, end], { onset: at(6) }, [ms(0), ms(60)])
    expect(marks.map(({ kind }) => kind)).toEqual(['cause', 'end'])
  })

  it('puts what began before the chart at its left edge, and leaves a later end out', () => {
    const marks = chartMarks([cause, end], { onset: at(20) }, [ms(10), ms(40)])
    expect(marks.map(({ at: time, text }) => [time, text])).toEqual([
      [ms(10), '← SELECT of session 7 begins'],
      [ms(20), 'onset'],
    ])
  })

  const placed = (given: readonly (readonly [ChartMark['kind'], number, string])[]) =>
    placeMarks(
      given.map(([kind, x, text]) => ({ kind, at: x, text })),
      (x) => x,
      800,
    )

  it('puts labels outside of the stall where there is room', () => {
    const side = (kind: ChartMark['kind'], x: number, text: string) =>
      placed([[kind, x, text]])[0]?.isLeft
    expect(side('onset', 400, 'onset')).toBe(true)
    expect(side('onset', 10, 'onset')).toBe(false)
    expect(side('end', 400, 'end')).toBe(false)
    expect(side('end', 780, 'session 7 ended')).toBe(true)
  })

  it('gives each label a row where no line runs through it', () => {
    const rows = placed([
      ['cause', 0, '← SELECT of session 7 begins'],
      ['trigger', 150, 'ALTER TABLE of session 9 asks'],
      ['onset', 300, 'onset'],
      ['cause', 310, 'a change that many sessions wait for'],
      ['end', 790, 'session 7 ended'],
    ])
    for (const { row, x, text, isLeft } of rows) {
      const far = x + (isLeft ? -1 : 1) * text.length * 6
      const above = rows.filter((other) => other.row < row)
      for (const line of above)
        expect(line.x > Math.min(x, far) && line.x < Math.max(x, far)).toBe(false)
    }
    expect(new Set(rows.map(({ row }) => row)).size).toBe(5)
  })
})
