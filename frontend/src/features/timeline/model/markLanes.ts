/** Builds the lanes that are not series: heat rows, snapshots, events, spans and notes. */
import { formatCount } from '@/format'
import { parseIso } from '@/charts/time'
import type { HeatRow, Marks, Strips } from './documents'
import { packed } from './laneStack'
import { type Item, type Lane, PLAIN, type Times } from './laneTypes'
import { waiting } from './marks'
import { lastSeen } from './stallEdges'

const HEAD_ROW = 15

export function heatLanes(strips: Strips | undefined): Lane[] {
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

export function snapshotLanes(marks: Marks, strips: Strips | undefined): Lane[] {
  const threads = new Map(
    strips?.threads.map((thread) => [`${thread.artifact}/${thread.index}`, thread.threads]),
  )
  return SNAPSHOTS.flatMap(([kind, title]): Lane[] => {
    const some = marks.snapshots.filter((snapshot) => snapshot.kind === kind)
    if (some.length === 0) return []
    const sizes = some.map((snapshot) => ({
      snapshot,
      waits: waiting(snapshot),
      size: Math.max(
        waiting(snapshot),
        kind === 'stacks' ? (threads.get(`${snapshot.artifact}/${snapshot.index}`) ?? 0) : 0,
      ),
    }))
    const most = Math.max(1, ...sizes.map(({ size }) => size))
    const items = sizes.map(({ snapshot, size, waits }): Item => {
      const at = parseIso(snapshot.time) ?? 0
      const count = threads.get(`${snapshot.artifact}/${snapshot.index}`)
      const name =
        kind === 'stacks' && count
          ? `${formatCount(count, 'thread')}, ${waits} waiting`
          : `${waits} waiting`
      return {
        key: `${snapshot.artifact}/${snapshot.kind}/${snapshot.index}`,
        source: snapshot.artifact,
        start: at,
        end: at,
        label: name,
        tone: waits > 0 ? 'waiting' : 'idle',
        weight: size / most,
        row: 0,
        opens: { kind: 'moment', at: snapshot.time },
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

export function eventLanes(marks: Marks): Lane[] {
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

/** The stalls with who blocked them, and what else lasted. */
export function spanLanes(
  marks: Marks,
  strips: Strips | undefined,
  times: Times,
): [Lane[], Lane[]] {
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
    end: lastSeen(stall),
    open: stall.end === null,
    label: `${STALLS[stall.kind]}${stall.host ? ` on ${stall.host}` : ''}${
      stall.peak_waiters ? `, up to ${stall.peak_waiters} waiting` : ''
    }`,
    tone: stall.kind === 'stall' ? ('holding' as const) : ('idle' as const),
  }))
  const blocking = (strips?.blocking ?? []).map((item, index) => ({
    key: `blocking/${index}`,
    start: parseIso(item.start) ?? 0,
    end: ended(item.end),
    label: `${item.holder} blocks ${item.blocks_total}${item.inferred ? ' (inferred)' : ''}`,
    tone: 'holding' as const,
    opens: { kind: 'moment' as const, at: item.start },
  }))
  const transactions = (strips?.transactions ?? []).map((transaction) => ({
    key: `trx/${transaction.host ?? ''}/${transaction.trx_id}`,
    source: transaction.artifact,
    start: parseIso(transaction.start) ?? 0,
    end: ended(transaction.end),
    label: `${transactionWords(transaction)}: ${transaction.query ?? transaction.state}`,
    tone: transaction.waited ? ('waiting' as const) : ('running' as const),
    opens: { kind: 'lines' as const, artifact: transaction.artifact, line: transaction.line_first },
  }))
  const runs = (strips?.experiments ?? []).map((experiment) =>
    times === 'happened'
      ? experiment
      : { ...experiment, start: experiment.started_at, end: experiment.finished_at },
  )
  const experiments = runs.map((experiment) => ({
    key: `experiment/${experiment.id}`,
    start: parseIso(experiment.start) ?? 0,
    end: ended(experiment.end),
    open: experiment.end === null,
    label: `Experiment ${experiment.number}: ${experiment.title}`,
    tone: 'accent' as const,
    uncut: true,
    opens: { kind: 'experiment' as const, id: experiment.id },
  }))
  return [
    [
      ...of('spans:stalls', 'Stalls', 'Stretches in which work piled up', stalls),
      ...of(
        'spans:blocking',
        'Blocking',
        'Root blockers, from the first snapshot to the last',
        blocking,
      ),
    ],
    [
      ...of(
        'spans:transactions',
        'Long transactions',
        'From their begin to the last dump that lists them; ten seconds or more',
        transactions,
      ),
      ...of(
        'spans:experiments',
        'Experiments',
        times === 'happened'
          ? 'Runs of the experiments of this incident, when they happened'
          : 'Runs of the experiments of this incident, when they were recorded',
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

export function noteLanes(marks: Marks, times: Times): Lane[] {
  if (marks.annotations.length === 0) return []
  const items = packed(
    marks.annotations.map((note) => {
      const happened = times === 'happened'
      const start = parseIso(happened ? note.start : note.created_at) ?? 0
      return {
        key: `note/${note.id}`,
        start,
        end: happened ? (parseIso(note.end) ?? start) : start,
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
      hint: `Written by people, at the time when it ${
        times === 'happened' ? 'happened' : 'was recorded'
      }; n adds a note at the pointer`,
      items,
      rows,
      choice: PLAIN,
      height: Math.max(24, rows * 18 + 6),
    },
  ]
}

/** 'trx 9875, session 171'; of one without a number 'transaction of session 171'. */
function transactionWords({
  trx_id: id,
  session_id: session,
}: Strips['transactions'][number]): string {
  if (id.startsWith('of session')) return `transaction ${id}`
  return session === null ? `trx ${id}` : `trx ${id}, session ${session}`
}
