/** Which lanes stand on the timeline, in which order and how high: data and choices to a stack. */
import { parseIso } from '@/charts/time'
import { besideLanes, type Other } from './otherIncidents'
import { waiting } from './marks'
import type { HeatRow, Marks, Series, Strips } from './queries'

export type Size = 'compact' | 'normal' | 'tall'
export type Scale = 'linear' | 'log' | 'shared'
export type Choice = {
  readonly size: Size
  readonly scale: Scale
  readonly pinned: boolean
  readonly folded: boolean
  /** Which of the seven categories draws it: --cat-1 to --cat-7. */
  readonly colour: number
}
export const PLAIN: Choice = {
  ...{ size: 'normal', scale: 'linear', pinned: false, folded: false, colour: 1 },
}
export const COLOURS = ['Blue', 'Orange', 'Green', 'Purple', 'Sky', 'Vermilion', 'Olive'] as const

/** What lanes can stand together by. */
export const FIELDS = ['host', 'source', 'collector', 'unit', 'kind'] as const
export type Field = (typeof FIELDS)[number]
export const HEIGHTS: Readonly<Record<Size, number>> = { compact: 28, normal: 56, tall: 120 }
export const FOLDED = 20

/** Something with a place in time on a lane that is no series. */
export type Item = {
  readonly key: string
  /** The artifact whose clock stamped it, by hash. */
  readonly source?: string | null
  readonly start: number
  readonly end: number
  readonly label: string
  readonly tone: 'waiting' | 'holding' | 'running' | 'idle' | 'accent'
  readonly glyph?: string
  /** 0..1 of the tallest, for ticks. */
  readonly weight?: number
  /** Row inside the lane, from the top. */
  readonly row: number
  readonly opens?:
    | { readonly kind: 'moment'; readonly at: string }
    | { readonly kind: 'note'; readonly id: string }
    | { readonly kind: 'experiment'; readonly id: string }
    | { readonly kind: 'lines'; readonly artifact: string; readonly line: number }
  /** The end is not known: it goes on where the capture ends. */
  readonly open?: boolean
  /** Where the next of its row begins: a label ends there. */
  readonly until?: number
}

type Common = {
  readonly id: string
  readonly title: string
  readonly sub: string
  readonly hint: string
  readonly host: string | null
  readonly choice: Choice
  readonly height: number
}
export type MetricLane = Common & {
  readonly kind: 'metric'
  readonly series: Series
  readonly unit: string | null
  /** Of another incident: ms added to its times so that its onset lies on this one's. */
  readonly beside?: { readonly incident: string; readonly title: string; readonly shift: number }
}
export type HeatLane = Common & {
  readonly kind: 'heat'
  readonly row: HeatRow
  readonly at: Float64Array
  readonly counts: Float64Array
  /** The most of any row of its kind: one colour means one number in all of them. */
  readonly peak: number
}
export type ItemLane = Common & {
  readonly kind: 'spans' | 'events' | 'snapshots' | 'notes'
  readonly items: readonly Item[]
  readonly rows: number
}
export type GroupLane = Common & { readonly kind: 'group' }
export type Lane = MetricLane | HeatLane | ItemLane | GroupLane

export type Placed = { readonly lane: Lane; readonly y: number }

export type Options = {
  readonly series: readonly Series[]
  readonly shown: readonly string[]
  readonly marks: Marks
  readonly strips: Strips | undefined
  readonly choices: ReadonlyMap<string, Choice>
  /** Ids in the order that a person gave them; others keep their own place after. */
  readonly order: readonly string[]
  readonly query: string
  /** Lanes of one host, source, ... stand together under its name. */
  readonly by: Field | null
  /** Names of the files that series come from, by artifact. */
  readonly paths: ReadonlyMap<string, string>
  /** Other incidents, moved so that their onsets lie on this one's. */
  readonly beside?: readonly Other[]
}

const HEAD_ROW = 15

/** Lanes that stand before the snapshots and what was found in them; more stand after. */
const FEW_METRICS = 40

/**
 * Every lane: the pinned first, then notes, events, stalls, metrics, snapshots, waiters by place, and
 * what lasted; together by a field if asked. The words of `query` keep lanes whose name, host, source
 * or meaning has them all, and of other lanes the marks that have them: a thread, a query, a message.
 */
export function buildLanes(options: Options): Lane[] {
  const { marks, strips, choices, query } = options
  const metrics = besideLanes(metricLanes(options), options.beside ?? [], metricLane)
  const [stalls, spans] = spanLanes(marks, strips)
  const found = [...snapshotLanes(marks, strips), ...heatLanes(strips), ...spans]
  const few = metrics.length <= FEW_METRICS
  const all: Lane[] = [
    ...noteLanes(marks),
    ...eventLanes(marks),
    ...stalls,
    ...(few ? [...metrics, ...found] : [...found, ...metrics]),
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

/** Lanes with where each begins, and the height of all. */
export function stack(lanes: readonly Lane[]): { placed: Placed[]; height: number } {
  let y = 0
  const placed = lanes.map((lane) => {
    const here = { lane, y }
    y += lane.height
    return here
  })
  return { placed, height: y }
}

/** The lanes that touch a stretch of the stack, by halving: not one look per lane. */
export function visible(placed: readonly Placed[], top: number, bottom: number): Placed[] {
  let low = 0
  let high = placed.length
  while (low < high) {
    const middle = (low + high) >> 1
    const one = placed[middle]
    if (one && one.y + one.lane.height <= top) low = middle + 1
    else high = middle
  }
  let end = low
  while (end < placed.length && (placed[end]?.y ?? Infinity) < bottom) end++
  return placed.slice(low, end)
}

/** The first free row for each item in time order; those that find none share the last. */
export function packed<T extends { start: number; end: number }>(
  items: readonly T[],
  most: number,
  gap: number,
): (T & { row: number; until: number })[] {
  const ends: number[] = []
  const rows = [...items]
    .sort((a, b) => a.start - b.start)
    .map((item) => {
      let row = ends.findIndex((end) => end + gap <= item.start)
      if (row < 0) row = ends.length < most ? ends.length : most - 1
      ends[row] = Math.max(ends[row] ?? -Infinity, item.end)
      return { ...item, row, until: Infinity }
    })
  const next = new Map<number, number>()
  for (const item of rows.toReversed()) {
    item.until = next.get(item.row) ?? Infinity
    next.set(item.row, item.start)
  }
  return rows
}

/** The item of a lane at or nearest to an instant, within a tolerance in ms. */
export function itemAt(items: readonly Item[], at: number, row: number | null, tolerance: number) {
  let best: Item | null = null
  let distance = tolerance
  for (const item of items) {
    if (row !== null && item.row !== row) continue
    const off = at < item.start ? item.start - at : at > item.end ? at - item.end : 0
    if (off < distance || (off === 0 && best && item.end - item.start < best.end - best.start)) {
      best = item
      distance = off
    }
  }
  return best
}

/** The next (or previous) item of a lane after an instant. */
export function nextItem(items: readonly Item[], at: number, forward: boolean): Item | null {
  let best: Item | null = null
  for (const item of items) {
    if (forward ? item.start <= at + 0.5 : item.start >= at - 0.5) continue
    if (!best || (forward ? item.start < best.start : item.start > best.start)) best = item
  }
  return best
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
  ...{ metric: 'Measured', heat: 'Who waits where', spans: 'What lasted' },
  ...{ events: 'What happened', snapshots: 'Snapshots', notes: 'Notes' },
}

function fieldOf(lane: Lane, by: Field, paths: ReadonlyMap<string, string>): string | null {
  if (by === 'host') return lane.host
  if (by === 'kind') return lane.kind === 'group' ? null : KINDS[lane.kind]
  if (lane.kind === 'heat') return by === 'unit' ? 'waiting' : null
  if (lane.kind !== 'metric') return null
  if (by === 'unit') return lane.unit
  if (by === 'collector') return lane.series.group
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
  return [...groups].flatMap(([field, some]): Lane[] => [
    {
      kind: 'group',
      id: `group:${field ?? ''}`,
      title: field ?? NO_FIELD[by],
      sub: `${some.length} ${some.length === 1 ? 'lane' : 'lanes'}`,
      hint: '',
      host: by === 'host' ? field : null,
      choice: PLAIN,
      height: 24,
    },
    ...some,
  ])
}

function metricLanes({ series, shown }: Options): MetricLane[] {
  const byId = new Map(series.map((one) => [one.id, one]))
  return shown.flatMap((id) => {
    const one = byId.get(id)
    return one ? [metricLane(one)] : []
  })
}

function metricLane(series: Series): MetricLane {
  const counter = series.kind === 'counter'
  return {
    kind: 'metric',
    id: series.id,
    series,
    unit: counter ? (series.unit ? `${series.unit}/s` : '1/s') : series.unit,
    title: series.name,
    sub: series.labels,
    hint: series.meaning ?? '',
    host: series.host,
    choice: PLAIN,
    height: 56,
  }
}

function heatLanes(strips: Strips | undefined): Lane[] {
  const rows = strips?.heat ?? []
  const most = (kind: HeatRow['kind']) =>
    Math.max(1, ...rows.filter((row) => row.kind === kind).map((row) => row.peak))
  const peaks = { latch: most('latch'), lock: most('lock'), state: most('state') }
  return rows.map((row): Lane => ({
    peak: peaks[row.kind],
    kind: 'heat',
    id: `heat:${row.kind}:${row.label}@${row.host ?? ''}`,
    row,
    at: Float64Array.from(row.cells, (cell) => cell[0] ?? 0),
    counts: Float64Array.from(row.cells, (cell) => cell[1] ?? 0),
    title: row.label,
    sub: row.detail || HEAT_OF[row.kind],
    hint: `${HEAT_OF[row.kind]}, at most ${row.peak} at once`,
    host: row.host,
    choice: PLAIN,
    height: 20,
  }))
}

const HEAT_OF = {
  latch: 'threads waiting for a latch here',
  lock: 'transactions waiting for this lock',
  state: 'sessions in this state',
} as const

const SNAPSHOTS = [
  ['innodb_status', 'InnoDB status dumps'],
  ['stacks', 'Stack samples'],
  ['processlist', 'Processlists'],
] as const

function snapshotLanes(marks: Marks, strips: Strips | undefined): Lane[] {
  const threads = new Map(
    strips?.threads.map((one) => [`${one.artifact}/${one.index}`, one.threads]),
  )
  return SNAPSHOTS.flatMap(([kind, title]): Lane[] => {
    const some = marks.snapshots.filter((one) => one.kind === kind)
    if (some.length === 0) return []
    const sizes = some.map((one) => ({
      one,
      waits: waiting(one),
      size: Math.max(
        waiting(one),
        kind === 'stacks' ? (threads.get(`${one.artifact}/${one.index}`) ?? 0) : 0,
      ),
    }))
    const most = Math.max(1, ...sizes.map(({ size }) => size))
    const items = sizes.map(({ one, size, waits }): Item => {
      const at = parseIso(one.time) ?? 0
      const count = threads.get(`${one.artifact}/${one.index}`)
      const told = kind === 'stacks' && count ? `${count} threads, ${waits} wait` : `${waits} wait`
      return {
        key: `${one.artifact}/${one.kind}/${one.index}`,
        source: one.artifact,
        start: at,
        end: at,
        label: told,
        tone: waits > 0 ? 'waiting' : 'idle',
        weight: size / most,
        row: 0,
        opens: { kind: 'moment', at: one.time },
      }
    })
    return [
      {
        ...{ kind: 'snapshots', id: `snapshots:${kind}`, title, sub: '', host: null },
        hint: 'One tick per snapshot, as tall as many threads are in it; opens the wait graph',
        items,
        rows: 1,
        choice: PLAIN,
        height: 30,
      },
    ]
  })
}

const GLYPHS: Readonly<Record<string, string>> = { error: '✕', warning: '▲', system: '■' }

function eventLanes(marks: Marks): Lane[] {
  const of = (id: string, title: string, kinds: (kind: string) => boolean): Lane[] => {
    const items = marks.events.flatMap((event, index): Item[] => {
      const at = parseIso(event.time)
      if (at === null || !kinds(event.kind)) return []
      const grave = event.severity === 'error' || event.kind === 'crash'
      const tone = grave ? 'holding' : event.severity === 'warning' ? 'waiting' : 'idle'
      const lines =
        event.artifact && event.line_first
          ? { opens: { kind: 'lines' as const, artifact: event.artifact, line: event.line_first } }
          : {}
      return [
        {
          key: `${id}/${index}`,
          source: event.artifact,
          start: at,
          end: at,
          label: `${event.kind}: ${event.message}`,
          tone: event.kind === 'trigger' ? 'holding' : tone,
          glyph: event.kind === 'trigger' ? '◆' : (GLYPHS[event.severity ?? ''] ?? '•'),
          row: 0,
          ...lines,
        },
      ]
    })
    return items.length === 0
      ? []
      : [
          {
            ...{ kind: 'events', id, title, sub: `${items.length}`, hint: '', host: null },
            items,
            rows: 1,
            choice: PLAIN,
            height: 24,
          },
        ]
  }
  return [
    ...of('events:trigger', 'Triggers', (kind) => kind === 'trigger'),
    ...of('events:config', 'Configuration changes', (kind) => kind.startsWith('config')),
    ...of('events:log', 'Log', (kind) => kind !== 'trigger' && !kind.startsWith('config')),
  ]
}

/** The stalls, and what else lasted. */
function spanLanes(marks: Marks, strips: Strips | undefined): [Lane[], Lane[]] {
  const capture = parseIso(marks.range?.end) ?? Infinity
  const of = (
    id: string,
    title: string,
    hint: string,
    items: readonly Omit<Item, 'row'>[],
  ): Lane[] => {
    if (items.length === 0) return []
    const rows = packed(items, 6, 2000)
    const count = 1 + Math.max(...rows.map((item) => item.row))
    const lane: Lane = {
      ...{ kind: 'spans', id, title, sub: `${items.length}`, hint, host: null },
      items: rows,
      rows: count,
      choice: PLAIN,
      height: Math.max(24, count * HEAD_ROW + 8),
    }
    return [lane]
  }
  const ended = (text: string | null | undefined) => parseIso(text) ?? capture
  const stalls = marks.stalls.map((stall, index) => ({
    key: `stall/${index}`,
    start: parseIso(stall.onset) ?? 0,
    end: ended(stall.end),
    open: stall.end === null,
    label: `${STALLS[stall.kind]}${stall.host ? ` on ${stall.host}` : ''}${
      stall.peak_waiters ? `, up to ${stall.peak_waiters} waiting` : ''
    }`,
    tone: stall.kind === 'stall' ? ('holding' as const) : ('idle' as const),
  }))
  const blocking = (strips?.blocking ?? []).map((one, index) => ({
    key: `blocking/${index}`,
    start: parseIso(one.start) ?? 0,
    end: ended(one.end),
    label: `${one.holder} blocks ${one.blocks_total}${one.inferred ? ' (inferred)' : ''}`,
    tone: 'holding' as const,
    opens: { kind: 'moment' as const, at: one.start },
  }))
  const transactions = (strips?.transactions ?? []).map((one) => ({
    key: `trx/${one.host ?? ''}/${one.trx_id}`,
    source: one.artifact,
    start: parseIso(one.start) ?? 0,
    end: ended(one.end),
    label: `trx ${one.trx_id}${one.session_id ? `, session ${one.session_id}` : ''}: ${one.query ?? one.state}`,
    tone: one.waited ? ('waiting' as const) : ('running' as const),
    opens: { kind: 'lines' as const, artifact: one.artifact, line: one.line_first },
  }))
  const experiments = (strips?.experiments ?? []).map((one) => ({
    key: `experiment/${one.id}`,
    start: parseIso(one.start) ?? 0,
    end: ended(one.end),
    open: one.end === null,
    label: `Experiment ${one.number}: ${one.title}`,
    tone: 'accent' as const,
    opens: { kind: 'experiment' as const, id: one.id },
  }))
  return [
    of('spans:stalls', 'Stalls', 'Stretches in which work piled up', stalls),
    [
      ...of(
        'spans:blocking',
        'Blocking',
        'Root blockers, from the first snapshot to the last',
        blocking,
      ),
      ...of(
        'spans:transactions',
        'Long transactions',
        'From their begin to the last dump that lists them; ten seconds or more',
        transactions,
      ),
      ...of(
        'spans:experiments',
        'Experiments',
        'Runs of the experiments of this incident',
        experiments,
      ),
    ],
  ]
}

const STALLS = {
  stall: 'Stall',
  false_positive: 'False alarm',
  recovery_burst: 'Queued work drains',
} as const

function noteLanes(marks: Marks): Lane[] {
  if (marks.annotations.length === 0) return []
  const items = packed(
    marks.annotations.map((note) => {
      const start = parseIso(note.start) ?? 0
      return {
        key: `note/${note.id}`,
        start,
        end: parseIso(note.end) ?? start,
        label: `${note.text} (${note.author ?? 'somebody'})`,
        tone: 'accent' as const,
        opens: { kind: 'note' as const, id: note.id },
      }
    }),
    4,
    15_000,
  )
  const rows = 1 + Math.max(...items.map((item) => item.row))
  return [
    {
      ...{ kind: 'notes', id: 'notes', title: 'Notes', sub: `${items.length}`, host: null },
      hint: 'Written by people; n adds one at the pointer',
      items,
      rows,
      choice: PLAIN,
      height: Math.max(24, rows * 18 + 6),
    },
  ]
}
