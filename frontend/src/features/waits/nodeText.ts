/** A wait node in words and in one glyph: for labels, the tree, the table, pins. */
import { formatNumber } from '@/format'
import type { components } from '@/api/schema'
import type { WaitEdge, WaitGraph, WaitNode } from './waitGraph'

export type NodePersistence = components['schemas']['LastingWait']
export type Persistence = components['schemas']['WaitPersistence']
type Mark = WaitNode['mark']

export const GLYPH: Readonly<Record<string, string>> = {
  thread: '●',
  latch: '◇',
  row_lock: '▤',
  table_lock: '▦',
  metadata_lock: '▧',
  commit: '⇥',
  fsync: '⤓',
  queue: '⇶',
  group: '⋮',
}

export const KIND: Readonly<Record<string, string>> = {
  thread: 'thread',
  latch: 'latch',
  row_lock: 'row lock',
  table_lock: 'table lock',
  metadata_lock: 'metadata lock',
  commit: 'commit queue',
  fsync: 'flush to disk',
  queue: 'queue',
  group: 'group',
}

/** One sign each, so that a mark does not rest on its colour. */
export const MARK: Readonly<Record<Mark, { sign: string; word: string }>> = {
  '': { sign: '', word: '' },
  added: { sign: '+', word: 'added' },
  gone: { sign: '×', word: 'gone' },
  kept: { sign: '=', word: 'kept' },
}

const ROOT = 'root blocker'

/** What a node is in the story: who holds, who waits, who does both; else the resource. */
export function roleOf(node: WaitNode, queue?: QueuePlace): string {
  const many = node.members > 1
  const isThread = (node.kind === 'group' ? (node.of ?? 'thread') : node.kind) === 'thread'
  if (!isThread) {
    const kind = KIND[node.of ?? node.kind] ?? node.kind
    if (queue?.place === 'queue') return `${kind}: queue behind ${queue.behind}`
    // A flush ends when the storage confirms it: no thread holds it.
    if (!node.root || (node.of ?? node.kind) === 'fsync') return kind
    // With a holder in this moment it is the root because others hold it in other moments.
    return `${kind}, ${node.depth > 0 ? 'holders change' : 'holder unknown'}`
  }
  if (queue?.place === 'next') return 'next in the queue: blocks who comes later'
  if (queue?.place === 'behind') return `${many ? 'queue' : 'queues'} behind ${queue.behind}`
  if (node.root) return many ? 'root holders' : 'root holder'
  if (node.waiting && node.blocks_total > 0) return many ? 'wait and block' : 'waits and blocks'
  if (node.waiting) return many ? 'waiters' : 'waiter'
  return many ? 'holders' : 'holder'
}

/** Where a node is in the order of a metadata lock: the holder, the next request, those behind it. */
export type QueuePlace =
  | { readonly place: 'holds' | 'next' }
  | { readonly place: 'queue' | 'behind'; readonly behind: string }

/** The number of each place, in the order in which a metadata lock is granted. */
export const QUEUE_NUMBER: Readonly<Record<QueuePlace['place'], number | null>> = {
  holds: 1,
  next: 2,
  queue: null,
  behind: 3,
}

/**
 * The order of each metadata lock for which a session waits that others queue behind: a pending exclusive
 * request is granted before any later one, also before those that only read.
 */
export function queuePlaces(graph: Pick<WaitGraph, 'nodes' | 'edges'>): Map<string, QueuePlace> {
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]))
  const isLock = (id: string) => {
    const node = nodes.get(id)
    return (node?.of ?? node?.kind) === 'metadata_lock'
  }
  const places = new Map<string, QueuePlace>()
  const next = graph.edges.filter(
    ({ source, target, kind }) =>
      kind === 'held_by' && isLock(source) && nodes.get(target)?.waiting === true,
  )
  const queues = new Map(next.map(({ source, target }) => [source, nodes.get(target)?.label ?? '']))
  const wanted = new Set<string>()
  for (const { source, target } of next) {
    places.set(target, { place: 'next' })
    places.set(source, { place: 'queue', behind: queues.get(source) ?? '' })
  }
  for (const { source, target, kind } of graph.edges) {
    if (kind !== 'waits_for' || !isLock(target)) continue
    const behind = queues.get(target)
    if (behind !== undefined) {
      if (!places.has(source)) places.set(source, { place: 'behind', behind })
    } else if (places.get(source)?.place === 'next') wanted.add(target)
  }
  for (const { source, target, kind } of graph.edges)
    if (kind === 'held_by' && wanted.has(source) && !places.has(target))
      places.set(target, { place: 'holds' })
  return places
}

/** Table, user and time: the last line of a card. */
export function factsOf(node: WaitNode): string[] {
  return [
    node.table && `on ${node.table}`,
    node.user && `user ${node.user}`,
    node.waiting &&
      node.waited_s !== null &&
      (node.waited_s < 1
        ? 'under 1 s'
        : `${node.members > 1 ? 'up to ' : ''}${formatNumber(node.waited_s, 0)} s`),
  ].filter((fact) => typeof fact === 'string' && fact !== '') as string[]
}

/** Whether a text is the statement of a shape, cut perhaps: both begin alike. */
const isShapeOf = (shape: string | null | undefined, text: string) =>
  shape?.slice(0, ALIKE).toLowerCase() === text.slice(0, ALIKE).toLowerCase()

const ALIKE = 12

/** How many of those behind it wait directly for it; nothing where that is all, or nobody counted. */
export const directly = ({
  blocks_total,
  blocks_direct,
}: {
  readonly blocks_total: number
  readonly blocks_direct: number
}) =>
  blocks_direct > 0 && blocks_direct !== blocks_total
    ? `, ${formatNumber(blocks_direct, 0)} directly`
    : ''

/** A node in words, for screen readers; `stuck` is how long it has been stuck (`persistenceText`). */
export function describeNode(node: WaitNode, stuck = ''): string {
  const parts = [node.label]
  if (node.mark) parts[0] = `${MARK[node.mark].word}: ${node.label}`
  if (node.detail && !isShapeOf(node.shape, node.detail)) parts.push(node.detail)
  if (node.shape) parts.push(node.shape)
  if (node.user) parts.push(`user ${node.user}`)
  if (node.table) parts.push(`on ${node.table}`)
  if (node.blocks_total > 0) parts.push(`blocks ${node.blocks_total}${directly(node)}`)
  if (node.waited_s !== null && node.waiting) parts.push(`waits ${node.waited_s} s`)
  if (node.root) parts.push(ROOT)
  if (node.inferred) parts.push('inferred')
  // Not "root blocker, root blocker in 4 of 7 dumps".
  const again = node.root && stuck.startsWith(ROOT)
  if (again) parts[parts.indexOf(ROOT)] = `${ROOT} now`
  if (stuck) parts.push(again ? stuck.slice(ROOT.length).trimStart() : stuck)
  return parts.join(', ')
}

/** "trx 26478 · session 390 blocks 300 threads": what a pin of it claims. */
export function nodeClaim(node: WaitNode): string {
  const { label, blocks_total: blocks } = node
  if (blocks === 0) return node.waiting ? `${label} ${node.members > 1 ? 'wait' : 'waits'}` : label
  const threads = `${blocks} ${blocks === 1 ? 'thread' : 'threads'}`
  if (node.kind === 'group') return `${label}: ${threads} behind them`
  // A lock does not act: it has threads behind it.
  return node.kind === 'thread' ? `${label} blocks ${threads}` : `${label} has ${threads} behind it`
}

/** "trx 12 waits for row lock shop.t (X)": what a pin of an edge claims. */
export function edgeClaim(edge: WaitEdge, name: (id: string) => string): string {
  const verb = edge.kind === 'held_by' ? 'is held by' : 'waits for'
  const many = edge.count > 1 ? ` (${formatNumber(edge.count, 0)} threads)` : ''
  const mode = edge.mode ? ` for ${edge.mode}` : ''
  return `${name(edge.source)} ${verb} ${name(edge.target)}${mode}${many}${edge.inferred ? ', inferred' : ''}`
}

/** "S ×151", "held?": the short label of an edge at the highlighted node. */
export function edgeLabel(edge: WaitEdge): string {
  const what = edge.kind === 'held_by' ? 'held' : (edge.mode ?? 'waits')
  const many = edge.count > 1 ? ` ×${formatNumber(edge.count)}` : ''
  return `${edge.mark ? `${MARK[edge.mark].sign} ` : ''}${what}${edge.inferred ? '?' : ''}${many}`
}

interface Deadlock {
  /** The member that a click chooses: a thread. */
  first: string
  threads: number
  /** Threads that wait for one of them. */
  behind: number
  names: string
}

/** The deadlocks of a graph, with the most behind them first. */
export function deadlocksOf(graph: Pick<WaitGraph, 'nodes' | 'cycles'>): Deadlock[] {
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]))
  return graph.cycles
    .flatMap((ids) => {
      const members = ids.flatMap((id) => nodes.get(id) ?? [])
      const threads = members.filter((node) => node.of === 'thread' || node.kind === 'thread')
      const first = threads[0]
      if (!first) return []
      const count = threads.reduce((sum, node) => sum + node.members, 0)
      const most = Math.max(
        ...members.map((node) => node.blocks_total + (node.kind === 'thread' ? 1 : 0)),
      )
      const shown = threads.slice(0, MOST_NAMED).map((node) => node.label)
      const more = threads.length - shown.length
      return {
        first: first.id,
        threads: count,
        behind: Math.max(0, most - count),
        names: shown.join(', ') + (more > 0 ? ` and ${more} more` : ''),
      }
    })
    .sort((a, b) => b.threads + b.behind - a.threads - a.behind)
}

const MOST_NAMED = 4

/** What kind of thing an edge is about: of the resource at one of its ends. */
export function edgeKind(
  edge: WaitEdge,
  kindOf: ReadonlyMap<string, WaitNode['of']>,
): Exclude<WaitNode['kind'], 'group' | 'thread'> {
  const resource = edge.kind === 'waits_for' ? edge.target : edge.source
  const kind = kindOf.get(resource) ?? 'latch'
  return kind === 'thread' ? 'latch' : kind
}

/** What each node is; a group is what its members are. */
export function kindsOf(graph: Pick<WaitGraph, 'nodes'>): Map<string, WaitNode['of']> {
  return new Map(graph.nodes.map((node) => [node.id, node.kind === 'group' ? node.of : node.kind]))
}

/** Dashes per kind: latches are drawn through. */
export const DASH: Readonly<Record<string, string>> = {
  latch: '',
  row_lock: '7 3',
  table_lock: '13 4',
  metadata_lock: '11 3 2 3',
  commit: '2 4',
  fsync: '2 2 7 2',
  queue: '1 5',
}

/** How long a node has been stuck; null where nothing is known of it. */
export function persistenceOf(
  node: WaitNode,
  by: ReadonlyMap<string, NodePersistence>,
): NodePersistence | null {
  return by.get(node.lasting || node.id) ?? null
}

/** In how many moments a node is seen; where a root is not printed, what it holds shows it. */
export const seenIn = ({ seen, root }: NodePersistence) => Math.max(seen, root)

/**
 * "root blocker in 4 of 7 status dumps of the stall, blocks in 5": the words of the overview and the
 * report (`persistence` in analysis/waits/blockers.py), so that all describe a blocker alike.
 */
export function persistenceText(lasting: NodePersistence, persistence: Persistence): string {
  const { root, blocking, seen } = lasting
  const { among } = persistence
  if (root > 0)
    return `${ROOT} in ${root} of ${among}${blocking > root ? `, blocks in ${blocking}` : ''}`
  if (blocking > 0) return `blocks in ${blocking} of ${among}`
  return `in ${seen} of ${among}`
}

/** Why it is unknown how long a node has been stuck. */
export function missingPersistenceText(node: WaitNode, persistence: Persistence): string {
  if (persistence.of === 0) return 'unknown: not followed over several samples with a time'
  if (persistence.of === 1) return `unknown from a single ${persistence.unit}`
  if (node.kind === 'group' && !node.lasting)
    return 'unknown for this group: its members wait for different kinds of things'
  return `not found in ${persistence.among}`
}
