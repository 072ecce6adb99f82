/** The table of symptoms: which symptom of the incident each run reproduced. */
import type { Rows } from '@/charts/exportSvg'
import type { Experiment, Observed, Symptom, SymptomAnswer } from './queries'

/** true: seen; false: checked and not seen; null: no data to check. */
export type Seen = boolean | null

export type SymptomRun = {
  readonly experiment: Experiment
  readonly seen: Observed['symptoms'] | null
  readonly answers: readonly SymptomAnswer[]
}

type SymptomRow = {
  readonly words: string
  /** The symptom of a user; null for a computed one. */
  readonly own: Symptom | null
  readonly incident: Seen
  readonly cells: readonly { readonly seen: Seen; readonly text: string }[]
}

const OWN = 'own symptom: '

/** List the symptoms: those of users first, then those that differ between runs and incident. */
export function symptomRows(
  own: readonly Symptom[],
  runs: readonly SymptomRun[],
): readonly SymptomRow[] {
  const rows: SymptomRow[] = own.map((item) => ({
    words: item.words,
    own: item,
    incident: item.incident?.holds ?? null,
    cells: runs.map((run) => {
      const answer = run.answers.find((other) => other.symptom_id === item.id)
      return { seen: answer?.holds ?? null, text: answer?.text ?? '' }
    }),
  }))
  const computed = (words: readonly string[]) => words.filter((word) => !word.startsWith(OWN))
  const all = (of: (seen: Observed['symptoms']) => readonly string[]) => [
    ...new Set(runs.flatMap((run) => (run.seen ? computed(of(run.seen)) : []))),
  ]
  const written = new Set(own.map((item) => item.words))
  const here = [
    ...new Set([
      ...all((seen) => [...seen.reproduced, ...seen.missing]),
      ...all((seen) => seen.unknown.filter((words) => !written.has(words))),
    ]),
  ]
  for (const words of [
    ...here,
    ...all((seen) => seen.new).filter((name) => !here.includes(name)),
  ]) {
    const incident = here.includes(words)
    rows.push({
      words,
      own: null,
      incident,
      cells: runs.map(({ seen }) => ({
        seen:
          seen === null
            ? null
            : seen.reproduced.includes(words) || seen.new.includes(words)
              ? true
              : incident && !seen.missing.includes(words)
                ? null
                : false,
        text: '',
      })),
    })
  }
  const isInformative = (row: SymptomRow) =>
    row.own !== null || row.cells.some(({ seen }) => seen !== null && seen !== row.incident)
  return rows.toSorted((a, b) => Number(isInformative(b)) - Number(isInformative(a)))
}

/** Format the symptoms that a run reproduced: "5 of 7" of those it could check; empty without any. */
export function countOf(rows: readonly SymptomRow[], run: number): string {
  const checked = rows.filter((row) => row.incident && (row.cells[run]?.seen ?? null) !== null)
  if (checked.length === 0) return ''
  return `${checked.filter((row) => row.cells[run]?.seen).length} of ${checked.length}`
}

/** List the symptoms that a run showed and the incident did not. */
export const differently = (rows: readonly SymptomRow[], run: number) =>
  rows.filter((row) => row.incident === false && row.cells[run]?.seen).map((row) => row.words)

const MARK = { true: '✓', false: '–', null: '?' } as const
const WORD = { true: 'seen', false: 'not seen', null: 'unknown' } as const

export const markOf = (seen: Seen) => MARK[`${seen}`]
export const wordOf = (seen: Seen) => WORD[`${seen}`]

export function symptomExport(rows: readonly SymptomRow[], runs: readonly SymptomRun[]): Rows {
  return {
    columns: ['symptom', 'incident', ...runs.map((run) => `run ${run.experiment.number}`)],
    rows: rows.map((row) => [
      row.words,
      wordOf(row.incident),
      ...row.cells.map((cell) => wordOf(cell.seen)),
    ]),
  }
}
