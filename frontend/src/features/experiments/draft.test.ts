import { describe, expect, it } from 'vitest'
import { bodyOf, EMPTY, likeFinding, likeHypothesis, likeRun, problemsOf } from './draft'
import type { Experiment } from './queries'

const finding = {
  id: 'ahi',
  title: 'Adaptive hash index',
  experiment: { change: 'AHI off', expect: 'no pileup', refuted_if: 'it still piles up' },
}
const hypothesis = {
  id: 'h1',
  statement: 'The AHI latch',
  falsifier: 'no waits',
  finding_id: 'ahi',
}

describe('a draft', () => {
  it('of a run plans the same again', () => {
    const body = bodyOf({
      ...EMPTY,
      title: 'AHI off',
      change: 'SET GLOBAL',
      prediction: 'few wait',
      metric: 'm.waiters@db-1',
      op: '<',
      value: '20',
      window: '600',
      limit: '100',
      also: 'm.qps, m.cpu',
      sweep: 'tables',
      parameters: 'tables=4, binary=patched',
    })
    const run = { ...body, hypothesis_id: null } as unknown as Experiment
    expect(bodyOf(likeRun(run))).toEqual(body)
    expect(body.prediction).toMatchObject({ falsifier_op: '>', falsifier_value: 100 })
  })

  it('of a finding says what is expected, under the hypothesis made of it', () => {
    expect(likeFinding(finding, [hypothesis])).toMatchObject({
      title: 'Test: Adaptive hash index',
      hypothesis: 'h1',
      change: 'AHI off',
      prediction: 'no pileup',
      falsifier: 'it still piles up',
    })
    expect(likeHypothesis({ ...hypothesis, finding_id: null }, [finding])).toMatchObject({
      title: 'Test: The AHI latch',
      hypothesis: 'h1',
      prediction: 'If it holds, we will not see: no waits',
      falsifier: 'no waits',
    })
  })

  it('says what is no number', () => {
    const draft = { ...EMPTY, metric: 'm', value: '', window: 'soon', parameters: 'x' }
    expect(Object.keys(problemsOf(draft))).toEqual(['value', 'window', 'parameters'])
    expect(problemsOf({ ...EMPTY, metric: 'm', op: 'falls' })).toEqual({})
  })
})
