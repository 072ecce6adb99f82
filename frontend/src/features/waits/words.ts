/** A wait node in words and in one glyph: for labels, the tree, the table, pins. */
import type { WaitNode } from './layout'

export const GLYPH: Record<WaitNode['kind'], string> = {
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

export const KIND: Record<WaitNode['kind'], string> = {
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

/** A node in words, for screen readers. */
export function sentence(node: WaitNode): string {
  const parts = [node.label]
  if (node.detail) parts.push(node.detail)
  if (node.blocks_total > 0)
    parts.push(`blocks ${node.blocks_total}, ${node.blocks_direct} directly`)
  if (node.waited_s !== null && node.waiting) parts.push(`waits ${node.waited_s} s`)
  if (node.root) parts.push(node.inferred ? 'root blocker, inferred' : 'root blocker')
  else if (node.inferred) parts.push('inferred')
  return parts.join(', ')
}

/** "trx 26478 · session 390 blocks 300 threads": what a pin of it claims. */
export function claim(node: WaitNode): string {
  const { label, blocks_total: blocks } = node
  if (blocks === 0) return node.waiting ? `${label} ${node.members > 1 ? 'wait' : 'waits'}` : label
  const threads = `${blocks} ${blocks === 1 ? 'thread' : 'threads'}`
  // A lock does not act: it has threads behind it.
  return node.kind === 'thread' ? `${label} blocks ${threads}` : `${label} has ${threads} behind it`
}

/** The next moment with waiters before or after an instant (ISO 8601, UTC); null at the end. */
export function nextMoment(
  times: readonly string[],
  at: string | null,
  way: 1 | -1,
): string | null {
  const here = at === null ? Number.NaN : Date.parse(at)
  if (Number.isNaN(here)) return (way === 1 ? times[0] : times.at(-1)) ?? null
  const found =
    way === 1
      ? times.find((time) => Date.parse(time) > here)
      : times.findLast((time) => Date.parse(time) < here)
  return found ?? null
}
