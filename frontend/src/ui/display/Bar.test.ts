import { expect, it } from 'vitest'
import { layoutSpark } from './Bar'

it('breaks the line where there is no value, and starts from zero', () => {
  const runs = layoutSpark([0, 10, null, 5], 121, 24)
  expect(runs.map((run) => run.line)).toEqual(['M0.5 23L40.5 2', 'M120.5 12.5'])
})
it('draws nothing of nothing', () => expect(layoutSpark([null, null], 120, 24)).toEqual([]))
