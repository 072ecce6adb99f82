/** Sweeps: experiments with the same name and different parameters, as a table or a pivot. */
import type { Rows } from '@/charts/exportSvg'
import { group, median, sum } from 'd3-array'
import { formatNumber } from '@/format'
import { FAILED_WORDS } from './failed'
import type { Experiment, Measure, Observed } from './queries'

export type Run = {
  readonly experiment: Experiment
  /** The result stored at the finish, or computed now; null while nothing is computed. */
  readonly seen:
    | (Pick<Observed, 'measured' | 'levels'> & {
        readonly symptoms: Observed['symptoms'] | null
        readonly trial: Observed['trial'] | null
      })
    | null
}

/** Sort runs by when they began, or by when that was recorded; those that have not begun are last. */
export function byTime(
  experiments: readonly Experiment[],
  by: 'happened' | 'recorded',
): readonly Experiment[] {
  const time = (item: Experiment) =>
    Date.parse((by === 'happened' ? item.began : item.started_at) ?? '') || Infinity
  const order = (a: number, b: number) => (a === b ? 0 : a < b ? -1 : 1)
  return experiments.toSorted((a, b) => order(time(a), time(b)) || a.number - b.number)
}

/** Return the number of the first run of its sweep with the same change; null for that run. */
export function sameChange(all: readonly Experiment[], item: Experiment): number | null {
  const { sweep, change, number } = item
  const same = all.filter((run) => sweep && change && run.sweep === sweep && run.change === change)
  const first = Math.min(...same.map((run) => run.number))
  return first < number ? first : null
}

/** Summary of a series over the runs of one parameter set. */
type Summary = {
  /** Of the samples of one run; of the medians of several. */
  readonly median: number
  /** Of the samples of one run; null of several. */
  readonly mad: number | null
  /** Of the runs' medians; null of one. */
  readonly least: number | null
  readonly most: number | null
  readonly points: number
  readonly runs: number
}

type Level = NonNullable<Observed['levels'][number]['run']>

/** Summarise a series over the runs that have samples of it; null when none has. */
export const summaryOf = (runs: readonly Run[], series: string) =>
  summarise(runs.map((run) => levelOf(run, series)))

/** Summarise the levels of one series in several runs; null without levels. */
export function summarise(runs: readonly (Level | null)[]): Summary | null {
  const levels = runs.filter((run) => run !== null)
  const medians = levels.map((level) => level.median)
  const middle = median(medians)
  if (middle === undefined) return null
  const item = levels.length === 1 ? levels[0] : undefined
  return {
    median: middle,
    mad: item?.mad ?? null,
    least: item ? null : Math.min(...medians),
    most: item ? null : Math.max(...medians),
    points: sum(levels, (level) => level.points),
    runs: levels.length,
  }
}

/** Format a summary: "31 ± 2 (n 60)" with median, MAD and samples; "31, 28–40 (3 runs)" for several. */
export function spread(summary: Summary | null): string {
  if (summary === null) return '–'
  const middle = formatNumber(summary.median, 2)
  if (summary.least === null || summary.most === null) {
    return `${middle} ± ${formatNumber(summary.mad ?? 0, 2)} (n ${formatNumber(summary.points)})`
  }
  const lies = `, ${formatNumber(summary.least, 2)}–${formatNumber(summary.most, 2)}`
  return `${middle}${summary.least === summary.most ? '' : lies} (${summary.runs} runs)`
}

/** Group the runs by parameter set, in parameter order. */
export function places(runs: readonly Run[]): readonly (readonly Run[])[] {
  const names = parametersOf(runs)
  const key = (run: Run) => JSON.stringify(names.map((name) => run.experiment.parameters[name]))
  return [...group(sorted(runs), key).values()]
}

/** Return the prediction of a run, as a number or in words. */
export const predicted = ({ experiment: { predicted: number, prediction } }: Run) =>
  number || prediction.text

/** Join one text per run, skipping empty ones. */
export const each = (runs: readonly Run[], textOf: (run: Run) => string) =>
  runs.map(textOf).filter(Boolean).join(', ')

/** Format the reproduced symptoms of a run: "5 of 7"; empty while unknown. */
export function reproduced(run: Run): string {
  const symptoms = run.seen?.symptoms
  if (!symptoms) return ''
  const all = symptoms.reproduced.length + symptoms.missing.length
  return all === 0 ? '' : `${symptoms.reproduced.length} of ${all}`
}

export const sweepsOf = (all: readonly Experiment[]) =>
  [...new Set(all.map((item) => item.sweep).filter(Boolean))].sort()

/** List the parameter names in the order of first use. */
export const parametersOf = (runs: readonly Run[]) => [
  ...new Set(runs.flatMap((run) => Object.keys(run.experiment.parameters))),
]

/** List the series of all runs. */
export const seriesOf = (runs: readonly Run[]) => [
  ...new Set(runs.flatMap((run) => run.seen?.levels.map((level) => level.series) ?? [])),
]

const nameOf = (measure: Measure) =>
  measure.unit ? `${measure.name} (${measure.unit})` : measure.name

/** List the names of all values of the runs, with their units. */
export const measureNames = (runs: readonly Run[]) => [
  ...new Set(runs.flatMap((run) => run.experiment.measures.map(nameOf))),
]

/** List the values with this name, of all these runs. */
export const measuresNamed = (runs: readonly Run[], name: string) =>
  runs.flatMap((run) => run.experiment.measures.filter((measure) => nameOf(measure) === name))

/** How a run failed, in words; empty while nobody and nothing says. */
export function failedWords({ experiment, seen }: Run): string {
  const failed = experiment.failed_same_way ?? seen?.symptoms?.same_way
  return failed ? FAILED_WORDS[failed] : ''
}

const levelOf = (run: Run, series: string) =>
  run.seen?.levels.find((level) => level.series === series)?.run ?? null

const inOrder = new Intl.Collator('en', { numeric: true }).compare

/** Sort runs by parameters, numerically: 4 before 16. */
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

type Pivot = {
  readonly down: readonly string[]
  readonly across: readonly string[]
  /** Return the runs at a pair of values; there may be several or none. */
  readonly at: (down: string, across: string) => readonly Run[]
}

/** Pivot the runs: rows are the values of one parameter, columns those of another. */
export function pivot(runs: readonly Run[], rows: string, columns: string): Pivot {
  const values = (name: string) =>
    [...new Set(runs.map((run) => run.experiment.parameters[name] ?? ''))].sort(inOrder)
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

const STANDING: Record<Experiment['prediction_standing'], string> = {
  none: 'none recorded',
  open: 'before the run',
  locked: 'locked before the run',
  recorded_after: 'recorded after the run',
}

/** Return the sweep as rows for export: one per parameter set. */
export function sweepRows(runs: readonly Run[]): Rows {
  const names = parametersOf(runs)
  const series = seriesOf(runs)
  const measured = measureNames(runs)
  return {
    columns: [
      'experiments',
      ...names,
      'runs',
      'predicted',
      ...series.flatMap((name) => [`${name} median`, 'MAD', 'least run', 'most run', 'samples']),
      ...measured.flatMap((name) => [name, `source of ${name}`]),
      'prediction',
      'symptoms reproduced',
      'failed',
      'computed',
      'verdict',
      'overruled because',
    ],
    rows: places(runs).map((same) => [
      each(same, (run) => String(run.experiment.number)),
      ...names.map((name) => same[0]?.experiment.parameters[name] ?? ''),
      same.length,
      [...new Set(same.map(predicted))].join('; '),
      ...series.flatMap((id) => {
        const summary = summaryOf(same, id)
        return summary
          ? [summary.median, summary.mad, summary.least, summary.most, summary.points]
          : [null, null, null, null, null]
      }),
      ...measured.flatMap((name) => {
        const found = measuresNamed(same, name)
        return [
          found.map((measure) => measure.value).join('; '),
          [...new Set(found.map((measure) => measure.source))].join('; '),
        ]
      }),
      [...new Set(same.map((run) => STANDING[run.experiment.prediction_standing]))].join('; '),
      each(same, reproduced),
      each(same, failedWords),
      each(same, (run) => run.seen?.measured?.verdict.replace('_', ' ') ?? ''),
      each(same, (run) => run.experiment.verdict?.replace('_', ' ') ?? run.experiment.state),
      each(same, (run) => run.experiment.overruled_because),
    ]),
  }
}
