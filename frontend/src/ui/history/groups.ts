/** Runs of equal actions in the audit trail, folded into one line each: "uploaded 26 files". */
import type { components } from '@/api/schema'
import { formatNumber } from '@/format'
import { didWhat } from './trailWords'

type Entry = components['schemas']['ActivityEntry']

const LEAST = 3
const APART_MS = 30 * 60_000

/** Fold entries that follow each other within half an hour: one person, one action, one incident. */
export function groupEntries(entries: readonly Entry[]): readonly (readonly Entry[])[] {
  const runs: Entry[][] = []
  for (const entry of entries) {
    const run = runs.at(-1)
    const last = run?.at(-1)
    if (run && last && isSame(last, entry)) run.push(entry)
    else runs.push([entry])
  }
  return runs.flatMap((run) => (run.length < LEAST ? run.map((entry) => [entry]) : [run]))
}

const isSame = (a: Entry, b: Entry) =>
  a.action === b.action &&
  a.user_id === b.user_id &&
  a.user_name === b.user_name &&
  a.incident_id === b.incident_id &&
  Math.abs(Date.parse(a.at) - Date.parse(b.at)) <= APART_MS

const MANY: Readonly<Record<string, (count: string) => string>> = {
  'artifact.uploaded': (count) => `uploaded ${count} files`,
  'artifact.changed': (count) => `changed how files are read, ${count} times`,
  'artifact.deleted': (count) => `deleted ${count} artifacts`,
  'matrix.rated': (count) => `rated cells of the matrix, ${count} times`,
  'matrix.weighed': (count) => `changed the weight of evidence, ${count} times`,
  'pin.created': (count) => `pinned ${count} pieces of evidence`,
  'pin.withdrawn': (count) => `withdrew ${count} pins`,
  'pin.turned_stale': (count) => `marked ${count} pins as stale`,
  'pin.fresh_again': (count) => `marked ${count} pins as current again`,
  'hypothesis.created': (count) => `proposed ${count} hypotheses`,
  'hypothesis.evidence_added': (count) => `pinned ${count} pieces of evidence to hypotheses`,
  'experiment.imported': (count) => `imported ${count} runs from tables`,
  'experiment.planned': (count) => `planned ${count} experiments`,
  'action.created': (count) => `added ${count} actions`,
  'annotation.created': (count) => `wrote ${count} notes on the timeline`,
  'comment.created': (count) => `wrote ${count} comments`,
}

/** Describe a run of entries; `more`: older entries of it may not be loaded. */
export function didMany(run: readonly Entry[], more: boolean): string {
  const [first] = run
  if (!first) return ''
  const count = `${formatNumber(run.length)}${more ? ' or more' : ''}`
  const words = MANY[first.action]
  return words ? words(count) : `${didWhat({ ...first, name: null })}, ${count} times`
}
