import { describe, expect, it } from 'vitest'
import { markdown } from '@/charts/exportSvg'
import type { Experiment } from './queries'
import { readParameters } from './draft'
import {
  byTime,
  pivot,
  places,
  reproduced,
  sameChange,
  sorted,
  spread,
  summaryOf,
  sweepRows,
  type Run,
} from './sweep'

const prediction: Experiment['prediction'] = {
  text: '',
  metric: 'app.queries@db-1',
  op: '>=',
  value: 9000,
  statistic: 'p95',
  window_s: 600,
  falsifier: '',
  falsifier_op: '<',
  falsifier_value: 100,
  also: null,
}

function run(number: number, tables: string, binary: string, median: number): Run {
  const experiment: Experiment = {
    id: `e${number}`,
    incident_id: 'i1',
    number,
    title: 'N tables',
    hypothesis_id: null,
    change: '',
    prediction,
    predicted: 'p95 of Queries >= 9 000 within 600 s; disproved if < 100',
    state: 'finished',
    locked_at: null,
    observation: null,
    failed_same_way: null,
    verdict: 'miss',
    conclusion: '',
    risk: '',
    sweep: 'commit mutex',
    parameters: { tables, binary },
    computed: null,
    overruled_because: '',
    artifacts: [],
    pins: [],
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
    started_at: null,
    finished_at: null,
    by: null,
    revision: 1,
  }
  const level = { median, mad: 1, least: 0, most: median, points: 60 }
  return {
    experiment,
    seen: {
      measured: null,
      levels: [{ series: 'app.queries@db-1', run: level, incident: null, ratio: null }],
      trial: null,
      symptoms: {
        reproduced: ['a', 'b', 'c', 'd', 'e'],
        missing: ['f', 'g'],
        own: [],
        new: [],
        unknown: [],
        same_way: 'yes',
        text: '',
      },
    },
  }
}

const RUNS = [
  run(1, '16', 'original', 8),
  run(2, '4', 'original', 10000),
  run(3, '16', 'patched', 10000),
]

describe('a sweep', () => {
  it('is in the order of its parameters, numbers as numbers', () => {
    expect(sorted(RUNS).map((run) => run.experiment.number)).toEqual([2, 1, 3])
  })

  it('pivots by two parameters; a place without a run is empty', () => {
    const table = pivot(RUNS, 'tables', 'binary')
    expect([table.down, table.across]).toEqual([
      ['4', '16'],
      ['original', 'patched'],
    ])
    expect(table.at('16', 'original').map((run) => run.experiment.number)).toEqual([1])
    expect(table.at('4', 'patched')).toEqual([])
  })

  it('counts the symptoms', () => {
    expect(reproduced(run(1, '4', 'original', 1))).toBe('5 of 7')
  })

  it('puts repeated runs into one place: median, least and most, how many', () => {
    const again = [...RUNS, run(4, '16', 'original', 14), run(5, '16', 'original', 9)]
    const place = places(again)[1] ?? []
    expect(place.map((run) => run.experiment.number)).toEqual([1, 4, 5])
    expect(spread(summaryOf(place, 'app.queries@db-1'))).toBe('9, 8–14 (3 runs)')
    expect(spread(summaryOf(place.slice(0, 1), 'app.queries@db-1'))).toBe('8 ± 1 (n 60)')
    expect(spread(summaryOf(place, 'another'))).toBe('–')
    expect(sweepRows(again).rows[1]?.slice(0, 10)).toEqual([
      '1, 4, 5',
      '16',
      'original',
      3,
      'p95 of Queries >= 9 000 within 600 s; disproved if < 100',
      9,
      null,
      8,
      14,
      180,
    ])
  })

  it('exports a row per combination of parameters', () => {
    const { columns, rows } = sweepRows(RUNS)
    expect(columns.slice(0, 6)).toEqual([
      'experiments',
      'tables',
      'binary',
      'runs',
      'predicted',
      'app.queries@db-1 median',
    ])
    expect(rows.map((row) => row.slice(0, 3))).toEqual([
      ['2', '4', 'original'],
      ['1', '16', 'original'],
      ['3', '16', 'patched'],
    ])
    expect(markdown({ columns: ['a|b'], rows: [['x\ny'], [null]] })).toBe(
      '| a\\|b |\n| --- |\n| x y |\n|  |\n',
    )
  })

  it('reads parameters as name=value', () => {
    expect(readParameters('tables=4, binary = patched')).toEqual({ tables: '4', binary: 'patched' })
    expect(readParameters('')).toEqual({})
    expect(readParameters('tables')).toBeNull()
    expect(readParameters('a=1,a=2')).toBeNull()
  })
})

it('sorts runs by when they began, and by when that was recorded', () => {
  const at = (number: number, began: string | null, started_at: string | null) => ({
    ...run(number, '4', 'original', 1).experiment,
    began,
    started_at,
  })
  const runs = [
    at(1, '2026-03-02T00:00:00Z', '2026-03-05T00:00:00Z'),
    at(2, null, null),
    at(3, '2026-03-01T00:00:00.5Z', '2026-03-06T00:00:00Z'),
  ]
  expect(byTime(runs, 'happened').map((item) => item.number)).toEqual([3, 1, 2])
  expect(byTime(runs, 'recorded').map((item) => item.number)).toEqual([1, 3, 2])
})

it('names the first run of a sweep with the same change', () => {
  const changed = (number: number, change: string, sweep = 'load') => ({
    ...run(number, '4', 'original', 1).experiment,
    change,
    sweep,
  })
  const all = [changed(1, 'a'), changed(2, 'a'), changed(3, 'b'), changed(4, 'a', '')]
  expect(all.map((item) => sameChange(all, item))).toEqual([null, 1, null, null])
})
