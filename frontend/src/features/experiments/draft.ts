/** The draft of an experiment: blank, or based on a run, a finding or a hypothesis. */
import type { components } from '@/api/schema'
import type { Experiment, NewExperiment } from './queries'

export const SIGNS = [
  ['<', 'less than'],
  ['<=', 'at most'],
  ['>', 'more than'],
  ['>=', 'at least'],
  ['~', 'about'],
  ['falls', 'falls from the incident’s'],
  ['rises', 'rises from the incident’s'],
] as const
export const STATISTICS = ['median', 'mean', 'p95', 'max', 'min'] as const

/** The fields of the form, as text. */
export type Draft = {
  readonly title: string
  readonly hypothesis: string
  readonly change: string
  readonly risk: string
  readonly prediction: string
  readonly metric: string
  readonly statistic: (typeof STATISTICS)[number]
  readonly op: (typeof SIGNS)[number][0]
  readonly value: string
  readonly window: string
  readonly limit: string
  readonly also: string
  readonly falsifier: string
  readonly sweep: string
  readonly parameters: string
}

export const EMPTY: Draft = {
  title: '',
  hypothesis: '',
  change: '',
  risk: '',
  prediction: '',
  metric: '',
  statistic: 'median',
  op: '<',
  value: '',
  window: '',
  limit: '',
  also: '',
  falsifier: '',
  sweep: '',
  parameters: '',
}

type Hypothesis = {
  readonly id: string
  readonly statement: string
  readonly falsifier: string
  readonly finding_id: string | null
}
type Finding = Pick<components['schemas']['FindingDoc'], 'id' | 'title' | 'experiment'>

const plain = (value: number | null | undefined) =>
  value === null || value === undefined ? '' : `${value}`

/** Return a draft with the change and prediction of a run. */
export function likeRun(item: Experiment): Draft {
  const { prediction } = item
  return {
    title: item.title,
    hypothesis: item.hypothesis_id ?? '',
    change: item.change,
    risk: item.risk,
    prediction: prediction.text,
    metric: prediction.metric ?? '',
    statistic: prediction.statistic ?? 'median',
    op: prediction.op ?? '<',
    value: plain(prediction.value),
    window: plain(prediction.window_s),
    limit: plain(prediction.falsifier_value),
    also: (prediction.also ?? []).join(', '),
    falsifier: prediction.falsifier,
    sweep: item.sweep,
    parameters: Object.entries(item.parameters)
      .map(([name, value]) => `${name}=${value}`)
      .join(', '),
  }
}

/** Return the draft that the knowledge base suggests for a finding, under its hypothesis. */
export function likeFinding(finding: Finding, hypotheses: readonly Hypothesis[]): Draft {
  const of = hypotheses.find((hypothesis) => hypothesis.finding_id === finding.id)
  return {
    ...EMPTY,
    title: `Test: ${finding.title}`,
    hypothesis: of?.id ?? '',
    change: finding.experiment?.change ?? '',
    prediction: finding.experiment?.expect ?? '',
    falsifier: finding.experiment?.refuted_if ?? of?.falsifier ?? '',
  }
}

/** Return a draft that tests the falsifier of a hypothesis, or the experiment of its finding. */
export function likeHypothesis(hypothesis: Hypothesis, findings: readonly Finding[]): Draft {
  const finding = findings.find((other) => other.id === hypothesis.finding_id)
  const suggested = finding?.experiment ? likeFinding(finding, [hypothesis]) : EMPTY
  return {
    ...suggested,
    title: suggested.title || `Test: ${hypothesis.statement}`,
    hypothesis: hypothesis.id,
    prediction:
      suggested.prediction ||
      (hypothesis.falsifier && `If it holds, we will not see: ${hypothesis.falsifier}`),
    falsifier: suggested.falsifier || hypothesis.falsifier,
  }
}

/** Parse a decimal number; null for anything else. */
export function decimal(text: string): number | null {
  const value = Number(text.trim())
  return text.trim() === '' || Number.isNaN(value) ? null : value
}

/** Parse 'tables=4, binary=patched' into names and values; null for anything else. */
export function readParameters(text: string): Record<string, string> | null {
  const found: Record<string, string> = {}
  for (const item of text.split(/[,\n]/).filter((part) => part.trim())) {
    const [, name = '', value = ''] = /^([^=]*)=(.*)$/.exec(item) ?? []
    if (!name.trim() || !value.trim() || name.trim() in found) return null
    found[name.trim()] = value.trim()
  }
  return found
}

export const isDirection = (draft: Draft) => draft.op === 'falls' || draft.op === 'rises'

/** Return the validation errors of a draft, by field. */
export function problemsOf(draft: Draft): Partial<Record<keyof Draft, string>> {
  const numeric = (text: string) => text.trim() === '' || decimal(text) !== null
  return {
    ...(draft.metric.trim() && !isDirection(draft) && decimal(draft.value) === null
      ? { value: 'a number, such as 20' }
      : {}),
    ...(numeric(draft.window) ? {} : { window: 'seconds, such as 600' }),
    ...(numeric(draft.limit) ? {} : { limit: 'a number, such as 100' }),
    ...(readParameters(draft.parameters) === null
      ? { parameters: 'name=value pairs, such as tables=4, binary=patched' }
      : {}),
  }
}

/** Build the request that plans the experiment. */
export function bodyOf(draft: Draft): NewExperiment {
  const metric = draft.metric.trim()
  const limit = metric ? decimal(draft.limit) : null
  const falls = draft.op.startsWith('<') || draft.op === 'falls'
  return {
    title: draft.title.trim(),
    hypothesis_id: draft.hypothesis || null,
    change: draft.change.trim(),
    prediction: {
      text: draft.prediction.trim(),
      metric: metric || null,
      op: metric ? draft.op : null,
      value: metric && !isDirection(draft) ? decimal(draft.value) : null,
      statistic: metric ? draft.statistic : null,
      // The falsifying condition is on the opposite side of the prediction.
      falsifier_op: limit === null ? null : falls ? '>' : '<',
      falsifier_value: limit,
      also: draft.also.split(/[,\s]+/).filter(Boolean),
      window_s: metric ? decimal(draft.window) : null,
      falsifier: draft.falsifier.trim(),
    },
    risk: draft.risk.trim(),
    sweep: draft.sweep.trim(),
    parameters: readParameters(draft.parameters) ?? {},
  }
}
