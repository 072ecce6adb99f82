import { fireEvent, screen, waitFor } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { renderScreen, serve } from '@/testing/render'
import { Detail } from './Detail'
import type { Experiment } from './queries'

afterEach(() => vi.unstubAllGlobals())

const experiment: Experiment = {
  id: 'e1',
  incident_id: 'i1',
  number: 1,
  title: 'AHI off',
  hypothesis_id: null,
  change: 'SET GLOBAL innodb_adaptive_hash_index = OFF',
  prediction: {
    text: 'few wait',
    metric: 'm.waiters@db-1',
    op: '<',
    value: 20,
    window_s: null,
    falsifier: '',
    statistic: null,
    falsifier_op: null,
    falsifier_value: null,
    also: null,
  },
  sweep: '',
  parameters: {},
  computed: null,
  overruled_because: '',
  state: 'started',
  locked_at: '2026-11-20T22:30:00Z',
  observation: null,
  failed_same_way: null,
  verdict: null,
  conclusion: '',
  risk: '',
  artifacts: [{ id: 'a1', path: 'experiment-ahi-off/metrics.csv' }],
  pins: [],
  predicted: 'max of Waiters < 20',
  prediction_standing: 'locked',
  predicted_at: null,
  measures: [],
  began: null,
  ended: null,
  ran_from: null,
  ran_to: null,
  ran_precision: 'exact',
  host: '',
  build: '',
  cores: '',
  dataset: '',
  started_at: '2026-11-20T22:30:00Z',
  finished_at: null,
  by: 'Ada',
  revision: 2,
}

describe('an experiment that has started', () => {
  it('computes what the artifacts show, and takes it when asked', async () => {
    const calls = serve({
      '/experiments/e1/observed': {
        measured: {
          verdict: 'partial',
          value: 31,
          p95: 80,
          points: 60,
          holding: 0.4,
          text: 'm.waiters: median 31; predicted < 20.',
        },
        symptoms: {
          reproduced: [],
          missing: [],
          new: [],
          unknown: [],
          same_way: 'no',
          text: 'The run reproduces 1 of 7 symptoms.',
        },
        levels: [
          {
            series: 'm.waiters@db-1',
            run: { median: 31, mad: 2, least: 3, most: 80, points: 60 },
            incident: { median: 310, mad: 9, least: 3, most: 400, points: 120 },
            ratio: 0.1,
          },
        ],
        trial: {
          verdict: 'better',
          text: 'The run is better than the incident: 2 ms, against 500 ms.',
          before_s: 0.5,
          after_s: 0.002,
        },
        settings: [
          { name: 'innodb_adaptive_hash_index', a: 'ON', b: 'OFF' },
          ...Array.from({ length: 6 }, (_, n) => ({ name: `other_${n}`, a: '1', b: '2' })),
        ],
      },
      'POST /experiments/e1/finish': experiment,
    })
    renderScreen(
      <Detail
        incidentId="i1"
        experiment={experiment}
        onClose={() => undefined}
        onRunLike={() => undefined}
        onChangePlan={() => undefined}
      />,
      '/incidents/i1/experiments',
    )
    expect(await screen.findByText('The run reproduces 1 of 7 symptoms.')).toBeTruthy()
    expect(
      screen.getByText('The run is better than the incident: 2 ms, against 500 ms.'),
    ).toBeTruthy()
    expect(screen.getByText('innodb_adaptive_hash_index: ON → OFF')).toBeTruthy()
    expect(screen.getByText('31 ± 2 (n 60)')).toBeTruthy()
    expect(screen.getByText('2 more: compare the run on the Compare screen')).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: 'Use the computed result' }))
    expect(screen.getByLabelText<HTMLSelectElement>('Verdict').value).toBe('partial')
    fireEvent.change(screen.getByLabelText('Verdict'), { target: { value: 'match' } })
    const finish = screen.getByRole<HTMLButtonElement>('button', { name: 'Finish' })
    expect(finish.disabled).toBe(true)
    expect(screen.getByLabelText(/Why not the computed verdict/)).toBeTruthy()
    fireEvent.change(screen.getByLabelText('Verdict'), { target: { value: 'partial' } })
    fireEvent.click(screen.getByRole('button', { name: 'Finish' }))
    await waitFor(() =>
      expect(calls.find((call) => call.path.endsWith('/finish'))?.body).toMatchObject({
        observation: {
          text: 'm.waiters: median 31; predicted < 20. The run is better than the incident: 2 ms, against 500 ms. The run reproduces 1 of 7 symptoms.',
          value: null,
        },
        verdict: 'partial',
        failed_same_way: 'no',
      }),
    )
  })
})
