/** Layout of a deadlock: transactions on a ring, waits as arcs, and a description in words. */
import type { DeadlockOut } from '@/api/schema'

export type CycleNode = { readonly number: number; readonly x: number; readonly y: number }

type CycleEdge = {
  readonly waiter: number
  readonly holder: number
  /** An SVG path from the rim of the waiter to that of the holder. */
  readonly path: string
  /** Position of the label. */
  readonly labelX: number
  readonly labelY: number
  readonly inferred: boolean
}

type Cycle = {
  readonly width: number
  readonly height: number
  readonly nodes: readonly CycleNode[]
  readonly edges: readonly CycleEdge[]
}

export const NODE_W = 264
export const NODE_H = 76
const GAP = 250
const BOW = 70
/** Distance from the edge to the middle of its label. */
const LABEL = 30

/**
 * Place the transactions in pixels, y downwards. Two are side by side, so that their edges curve up and
 * down; more form a ring in the order of the dump, with the first at the left.
 */
export function layoutCycle(deadlock: Pick<DeadlockOut, 'transactions' | 'edges'>): Cycle {
  const { transactions } = deadlock
  const n = transactions.length
  if (n === 0) return { width: 0, height: 0, nodes: [], edges: [] }
  const width = n === 1 ? NODE_W + 40 : n === 2 ? 2 * NODE_W + GAP + 40 : ringWidth(n)
  const height = n <= 2 ? NODE_H + 2 * BOW + 90 : ringHeight(n)
  const nodes = transactions.map(({ number }, index): CycleNode => {
    if (n <= 2) return { number, x: 20 + NODE_W / 2 + index * (NODE_W + GAP), y: height / 2 }
    const angle = Math.PI + (index / n) * 2 * Math.PI
    return {
      number,
      x: width / 2 + Math.cos(angle) * (width / 2 - NODE_W / 2 - 20),
      y: height / 2 + Math.sin(angle) * (height / 2 - NODE_H / 2 - 20),
    }
  })
  const at = new Map(nodes.map((node) => [node.number, node]))
  const edges = deadlock.edges.flatMap((edge): CycleEdge[] => {
    const from = at.get(edge.waiter)
    const to = at.get(edge.holder)
    if (!from || !to || from === to) return []
    return [
      { waiter: edge.waiter, holder: edge.holder, inferred: edge.inferred, ...arc(from, to, n) },
    ]
  })
  return { width, height, nodes, edges }
}

const ringWidth = (n: number) => Math.max(2 * NODE_W + GAP, (n * (NODE_W + 40)) / 2) + 40
const ringHeight = (n: number) => Math.max(380, (n * (NODE_H + 60)) / 2 + NODE_H) + 40

/** Draw an edge curved to the left of its direction, so that opposite edges do not overlap. */
function arc(from: CycleNode, to: CycleNode, n: number) {
  const dx = to.x - from.x
  const dy = to.y - from.y
  const length = Math.hypot(dx, dy) || 1
  const bow = n === 2 ? BOW : Math.min(BOW, length / 6)
  const middleX = (from.x + to.x) / 2 + (dy / length) * bow * 2
  const middleY = (from.y + to.y) / 2 - (dx / length) * bow * 2
  const start = rim(from, middleX, middleY)
  const end = rim(to, middleX, middleY)
  // The midpoint of the curve: the position of the label.
  const labelX = (start.x + 2 * middleX + end.x) / 4
  const labelY = (start.y + 2 * middleY + end.y) / 4
  const p = (value: number) => Math.round(value * 10) / 10
  return {
    path: `M${p(start.x)} ${p(start.y)}Q${p(middleX)} ${p(middleY)} ${p(end.x)} ${p(end.y)}`,
    labelX: p(labelX + (dy / length) * LABEL),
    labelY: p(labelY - (dx / length) * LABEL),
  }
}

/** Return the point where the line from the middle of a node to (x, y) leaves its box. */
function rim(node: CycleNode, x: number, y: number) {
  const dx = x - node.x
  const dy = y - node.y
  const scale = Math.min(
    dx === 0 ? Infinity : NODE_W / 2 / Math.abs(dx),
    dy === 0 ? Infinity : NODE_H / 2 / Math.abs(dy),
  )
  return Number.isFinite(scale) && scale < 1
    ? { x: node.x + dx * scale, y: node.y + dy * scale }
    : { x: node.x, y: node.y }
}

/** Describe the deadlock in sentences, for screen readers and for copying. */
export function cycleText(deadlock: Pick<DeadlockOut, 'transactions' | 'edges'>): string[] {
  const trx = new Map(deadlock.transactions.map((transaction) => [transaction.number, transaction]))
  const name = (number: number) => {
    const item = trx.get(number)
    return `(${number}) transaction ${item?.trx_id ?? '?'}${item?.session_id != null ? ` of session ${item.session_id}` : ''}`
  }
  const lines = deadlock.edges.map(
    (edge) =>
      `${name(edge.waiter)} waits for ${edge.lock}, ` +
      (edge.held
        ? `held by ${name(edge.holder)} as ${edge.held}.`
        : `held by ${name(edge.holder)} inferred from the order of the dump.`),
  )
  const victim = deadlock.transactions.find((transaction) => transaction.victim)
  return [
    ...lines,
    victim
      ? `The server rolled back ${name(victim.number)}.`
      : 'Rolled back transaction unknown: the dump is cut off.',
  ]
}

/** Split a lock such as 'record app.a PRIMARY X locks rec but not gap' into mode and location. */
export function lockWords(lock: string): readonly [mode: string, where: string] {
  const words = lock.replaceAll('`', '').split(/\s+/)
  if (words[0] === 'record')
    return [words.slice(3).join(' ') || 'lock', `${words[2] ?? ''} of ${words[1] ?? ''}`]
  return [words.slice(2).join(' ') || 'lock', `table ${words[1] ?? ''}`]
}
