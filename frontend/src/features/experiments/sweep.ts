/** A sweep: experiments that share a name and differ in their parameters, as one table or a pivot. */
import type { Rows } from '@/charts/exportSvg'
import { formatNumber } from '@/format'
import type { Experiment, Observed } from './queries'

export type Run = {
  readonly experiment: Experiment
  /** As kept at the finish, or as the artifacts show now; null while nothing is computed. */
  readonly seen:
    | (Pick<Observed, 'measured' | 'levels'> & {
        readonly symptoms: Observed['symptoms'] | null
        readonly trial: Observed['trial'] | null
      })
    | null
}

type Level = NonNullable<Observed['levels'][number]['run']>

/** "p95 of mysql.Threads_running@db-1 < 20 within 600 s; falsified if > 100". */
export function predictedNumber(one: Experiment['prediction']): string {
  if (!one.metric || !one.op) return ''
  const size = one.value === null || one.op === 'falls' || one.op === 'rises' ? '' : ` ${one.value}`
  const sign = one.op === '~' ? 'about' : one.op
  const window = one.window_s === null ? '' : ` within ${one.window_s} s`
  const false_ =
    one.falsifier_op && one.falsifier_value !== null
      ? `; falsified if ${one.falsifier_op} ${one.falsifier_value}`
      : ''
  return `${one.statistic ?? 'median'} of ${one.metric} ${sign}${size}${window}${false_}`
}

/** "31 ± 2 (60)": median, MAD, samples. */
export const spread = (one: Level | null) =>
  one === null
    ? '–'
    : `${formatNumber(one.median, 2)} ± ${formatNumber(one.mad, 2)} (${formatNumber(one.points)})`

/** "5 of 7"; empty while unknown. */
export function reproduced(run: Run): string {
  const symptoms = run.seen?.symptoms
  if (!symptoms) return ''
  return `${symptoms.reproduced.length} of ${symptoms.reproduced.length + symptoms.missing.length}`
}

export const sweepsOf = (all: readonly Experiment[]) =>
  [...new Set(all.map((one) => one.sweep).filter(Boolean))].sort()

/** Names of the parameters, as the runs first give them. */
export const parametersOf = (runs: readonly Run[]) => [
  ...new Set(runs.flatMap((one) => Object.keys(one.experiment.parameters))),
]

/** Series that any run shows. */
export const seriesOf = (runs: readonly Run[]) => [
  ...new Set(runs.flatMap((one) => one.seen?.levels.map((level) => level.series) ?? [])),
]

export const levelOf = (run: Run, series: string) =>
  run.seen?.levels.find((one) => one.series === series)?.run ?? null

const inOrder = new Intl.Collator('en', { numeric: true }).compare

/** By parameters: 4 before 16. */
export function sorted(runs: readonly Run[]): readonly Run[] {
  const names = parametersOf(runs)
  return [...runs].sort((a, b) => {
    for (const name of names) {
      const by = inOrder(a.experiment.parameters[name] ?? '', b.experiment.parameters[name] ?? '')
      if (by !== 0) return by
    }
    return a.experiment.number - b.experiment.number
  })
}

export type Pivot = {
  readonly down: readonly string[]
  readonly across: readonly string[]
  /** Of the values down and across; a place may hold several runs, or none. */
  readonly at: (down: string, across: string) => readonly Run[]
}

/** Rows are the values of one parameter, columns those of another. */
export function pivot(runs: readonly Run[], rows: string, columns: string): Pivot {
  const values = (name: string) =>
    [...new Set(runs.map((one) => one.experiment.parameters[name] ?? ''))].sort(inOrder)
  const places = new Map<string, Run[]>()
  const key = (down: string, across: string) => JSON.stringify([down, across])
  for (const run of runs) {
    const { parameters } = run.experiment
    const place = key(parameters[rows] ?? '', parameters[columns] ?? '')
    places.set(place, [...(places.get(place) ?? []), run])
  }
  return {
    down: values(rows),
    across: values(columns),
    at: (down, across) => places.get(key(down, across)) ?? [],
  }
}

/** The table as rows, for CSV and Markdown. */
export function sweepRows(given: readonly Run[]): Rows {
  const runs = sorted(given)
  const names = parametersOf(runs)
  const series = seriesOf(runs)
  return {
    columns: [
      'experiment',
      ...names,
      'predicted',
      ...series.flatMap((one) => [`${one} median`, 'MAD', 'samples']),
      'symptoms reproduced',
      'failed the same way',
      'computed',
      'verdict',
      'overruled because',
    ],
    rows: runs.map((run) => {
      const { experiment: one } = run
      return [
        one.number,
        ...names.map((name) => one.parameters[name] ?? ''),
        predictedNumber(one.prediction) || one.prediction.text,
        ...series.flatMap((id) => {
          const level = levelOf(run, id)
          return [level?.median ?? null, level?.mad ?? null, level?.points ?? null]
        }),
        reproduced(run),
        one.failed_same_way ?? run.seen?.symptoms?.same_way ?? '',
        run.seen?.measured?.verdict.replace('_', ' ') ?? '',
        one.verdict?.replace('_', ' ') ?? one.state,
        one.overruled_because,
      ]
    }),
  }
}
