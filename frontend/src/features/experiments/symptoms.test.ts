import { describe, expect, it } from 'vitest'
import type { Symptom } from './queries'
import { countOf, differently, symptomRows, type SymptomRun } from './symptoms'

const answer = (holds: boolean | null) => ({ symptom_id: 's1', holds, text: 'x', locator: null })
const own = { id: 's1', words: 'running above 100', by: 'Ada', incident: answer(true) } as Symptom

const run = (holds: boolean | null, reproduced: string[], fresh: string[] = []): SymptomRun => ({
  experiment: { id: `e${reproduced.length}`, number: 1 } as SymptomRun['experiment'],
  answers: [answer(holds)],
  seen: {
    reproduced,
    missing: ['known problem: a', 'contended latch: b'].filter(
      (name) => !reproduced.includes(name),
    ),
    new: fresh,
    own: null,
    unknown: [],
    same_way: 'yes',
    text: '',
  },
})

describe('symptoms beside runs', () => {
  const rows = symptomRows(
    [own],
    [
      run(true, ['known problem: a', 'own symptom: running above 100']),
      run(null, [], ['series: reconnects went up']),
    ],
  )

  it('has own ones first, then the incident’s, then what only runs showed', () => {
    expect(
      rows.map((row) => [row.words, row.incident, row.cells.map((cell) => cell.seen)]),
    ).toEqual([
      ['running above 100', true, [true, null]],
      ['known problem: a', true, [true, false]],
      ['contended latch: b', true, [false, false]],
      ['series: reconnects went up', false, [false, true]],
    ])
  })

  it('counts over what a run can tell', () => {
    expect([countOf(rows, 0), countOf(rows, 1)]).toEqual(['2 of 3', '0 of 2'])
    expect(differently(rows, 1)).toEqual(['series: reconnects went up'])
  })
})
