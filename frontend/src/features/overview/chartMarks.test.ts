import { describe, expect, it } from 'vitest'
import { chartMarks, labelIsLeft } from './chartMarks'

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

  it('puts labels outside of the stall where there is room', () => {
    expect(labelIsLeft('onset', 'onset', 400, 800)).toBe(true)
    expect(labelIsLeft('onset', 'onset', 10, 800)).toBe(false)
    expect(labelIsLeft('end', 'end', 400, 800)).toBe(false)
    expect(labelIsLeft('end', 'session 7 ended', 780, 800)).toBe(true)
  })
})
