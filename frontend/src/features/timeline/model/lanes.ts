/** Which lanes the timeline shows, in which order and how high: data and choices to a list of lanes. */
import type { Marks, Series, Strips } from './documents'
import {
  type Choice,
  type Field,
  FOLDED,
  HEIGHTS,
  type Lane,
  type MetricLane,
  PLAIN,
  type Times,
} from './laneTypes'
import { type OtherIncident, withOtherIncidents } from './otherIncidents'
import { eventLanes, heatLanes, noteLanes, snapshotLanes, spanLanes } from './markLanes'

type Options = {
  readonly series: readonly Series[]
  readonly shown: readonly string[]
  readonly marks: Marks
  readonly strips: Strips | undefined
  readonly choices: ReadonlyMap<string, Choice>
  /** Ids in the order that a person gave them; others keep their own place after. */
  readonly order: readonly string[]
  readonly query: string
  readonly times: Times
  /** Lanes of one host, source, ... are grouped under its name. */
  readonly by: Field | null
  /** Names of the files that series come from, by artifact. */
  readonly paths: ReadonlyMap<string, string>
  /** Other incidents, moved so that their onsets coincide with this one's. */
  readonly otherIncidents?: readonly OtherIncident[]
}

/** Lanes above the snapshots and their findings; the rest follow below. */
const FEW_METRICS = 40

/**
 * Every lane: the pinned first, then notes, events, stalls with their blockers, metrics, snapshots,
 * waiters by place, and what lasted; grouped by a field if one is chosen. The words of `query` keep lanes whose name, host, source
 * or meaning has them all, and of other lanes the marks that have them: a thread, a query, a message.
 */
export function buildLanes(options: Options): Lane[] {
  const { marks, strips, choices, query, times } = options
  const metrics = withOtherIncidents(metricLanes(options), options.otherIncidents ?? [], metricLane)
  const [stalls, spans] = spanLanes(marks, strips, times)
  const lanes = [...snapshotLanes(marks, strips), ...heatLanes(strips), ...spans]
  const few = metrics.length <= FEW_METRICS
  const all: Lane[] = [
    ...noteLanes(marks, times),
    ...eventLanes(marks),
    ...stalls,
    ...(few ? [...metrics, ...lanes] : [...lanes, ...metrics]),
  ].map((lane) => sized(lane, choices.get(lane.id) ?? PLAIN))
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const named = words.length === 0 ? all : all.flatMap((lane) => withWords(lane, words, options))
  const place = new Map(options.order.map((id, index) => [id, index]))
  const rank = (lane: Lane, index: number) => place.get(lane.id) ?? options.order.length + index
  const ordered = named
    .map((lane, index) => ({ lane, rank: rank(lane, index) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ lane }) => lane)
  const pinned = ordered.filter((lane) => lane.choice.pinned)
  const rest = ordered.filter((lane) => !lane.choice.pinned)
  return [...pinned, ...(options.by ? grouped(rest, options.by, options.paths) : rest)]
}

function sized(lane: Lane, choice: Choice): Lane {
  const height = choice.folded
    ? FOLDED
    : lane.kind === 'metric'
      ? HEIGHTS[choice.size]
      : lane.height * (choice.size === 'tall' ? 1.6 : 1)
  return { ...lane, choice, height: Math.round(height) }
}

/** A lane that has every word, or what is left of it: the marks that have them. */
function withWords(lane: Lane, words: readonly string[], { paths }: Options): Lane[] {
  const has = (text: string) => words.every((word) => text.toLowerCase().includes(word))
  const source = lane.kind === 'metric' ? (paths.get(lane.series.artifact ?? '') ?? '') : ''
  if (has(`${lane.title} ${lane.sub} ${lane.hint} ${lane.host ?? ''} ${source}`)) return [lane]
  if (!('items' in lane)) return []
  const items = lane.items.filter((item) => has(item.label))
  const sub = `${items.length} of ${lane.items.length}`
  return items.length > 0 ? [{ ...lane, items, sub }] : []
}

const NO_FIELD: Readonly<Record<Field, string>> = {
  ...{ host: 'No host is named', source: 'Of several files', collector: 'Marks' },
  ...{ unit: 'Without a unit', kind: '' },
}
const KINDS: Readonly<Record<Exclude<Lane['kind'], 'group'>, string>> = {
  ...{ metric: 'Measured', heat: 'Who waits where', spans: 'Periods' },
  ...{ events: 'What happened', snapshots: 'Snapshots', notes: 'Notes' },
}

function fieldOf(lane: Lane, by: Field, paths: ReadonlyMap<string, string>): string | null {
  if (by === 'host') return lane.host
  if (by === 'kind') return lane.kind === 'group' ? null : KINDS[lane.kind]
  if (lane.kind === 'heat') return by === 'unit' ? 'waiting' : null
  if (lane.kind !== 'metric') return null
  if (by === 'unit') return lane.unit
  if (by === 'collector') return lane.series.source
  return paths.get(lane.series.artifact ?? '') ?? null
}

function grouped(
  lanes: readonly Lane[],
  by: Field,
  paths: ReadonlyMap<string, string>,
): readonly Lane[] {
  const groups = new Map<string | null, Lane[]>()
  for (const lane of lanes) {
    const field = fieldOf(lane, by, paths)
    const some = groups.get(field)
    if (some) some.push(lane)
    else groups.set(field, [lane])
  }
  if (groups.size < 2) return lanes
  return [...groups].flatMap(([field, lanes]): Lane[] => [
    {
      kind: 'group',
      id: `group:${field ?? ''}`,
      title: field ?? NO_FIELD[by],
      sub: `${lanes.length} ${lanes.length === 1 ? 'lane' : 'lanes'}`,
      hint: '',
      host: by === 'host' ? field : null,
      choice: PLAIN,
      height: 24,
    },
    ...lanes,
  ])
}

function metricLanes({ series, shown }: Options): MetricLane[] {
  const byId = new Map(series.map((item) => [item.id, item]))
  return shown.flatMap((id) => {
    const item = byId.get(id)
    return item ? [metricLane(item)] : []
  })
}

function metricLane(series: Series): MetricLane {
  const counter = series.kind === 'counter'
  return {
    kind: 'metric',
    id: series.id,
    series,
    unit: counter ? (series.unit ? `${series.unit}/s` : '1/s') : series.unit,
    title: series.title,
    sub: [series.detail, series.source].filter(Boolean).join(' · '),
    hint: [series.id, series.meaning ?? ''].filter(Boolean).join('\n'),
    host: series.host,
    choice: PLAIN,
    height: 56,
  }
}
