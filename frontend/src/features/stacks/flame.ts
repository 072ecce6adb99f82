/** What a merged stack tree says: its functions, one function's callers and callees, hits, its folded trunk. */
import type { components } from '@/api/schema'
import { type FlameTree, treeOf, weight } from '@/charts/flame'
import { moduleOf } from './modules'

export type FlameDoc = components['schemas']['FlameDoc']
export type FlameNode = components['schemas']['FlameNode']
export type Tree = FlameTree<Frame>

export type FunctionRow = {
  readonly name: string
  /** Threads with the function anywhere on their stack, counted once. */
  readonly total: number
  readonly self: number
  readonly totalB: number
}

/** Rows of the function table: every function once, the most threads first. */
export function functionRows(tree: Tree): FunctionRow[] {
  const rows = new Map<string, { name: string; total: number; self: number; totalB: number }>()
  const above = new Map<string, number>()
  const walk = (index: number) => {
    const node = tree.nodes[index]
    if (!node) return
    const row = rows.get(node.name) ?? { name: node.name, total: 0, self: 0, totalB: 0 }
    rows.set(node.name, row)
    const inside = above.get(node.name) ?? 0
    if (inside === 0) {
      row.total += node.total
      row.totalB += node.total_b ?? 0
    }
    row.self += node.self + (node.self_b ?? 0)
    above.set(node.name, inside + 1)
    for (const child of tree.children[index] ?? []) walk(child)
    above.set(node.name, inside)
  }
  for (const child of tree.children[0] ?? []) walk(child)
  return [...rows.values()].sort((a, b) => b.total + b.totalB - a.total - a.totalB)
}

/**
 * Everything about one function wherever it occurs: who calls it (mirrored, callers outwards) and
 * what it calls. Recursion counts once, at the outermost.
 */
export function sandwich(tree: Tree, name: string): { callers: FlameNode[]; callees: FlameNode[] } {
  const callees = new Merged(name)
  const callers = new Merged(name)
  const below = (index: number, into: number) => {
    for (const child of tree.children[index] ?? []) {
      const node = tree.nodes[child] as FlameNode
      below(child, callees.add(into, node.name, node))
    }
  }
  tree.nodes.forEach((node, index) => {
    if (node.name !== name || isBelowItself(tree, index)) return
    callees.grow(0, node)
    callers.grow(0, node)
    below(index, 0)
    let into = 0
    for (let at = node.parent; at > 0; at = tree.nodes[at]?.parent ?? -1) {
      into = callers.add(into, tree.nodes[at]?.name ?? '', node)
    }
  })
  return { callers: callers.sorted(), callees: callees.sorted() }
}

function isBelowItself(tree: Tree, index: number): boolean {
  const name = tree.nodes[index]?.name
  for (let at = tree.nodes[index]?.parent ?? -1; at >= 0; at = tree.nodes[at]?.parent ?? -1) {
    if (tree.nodes[at]?.name === name) return true
  }
  return false
}

/** A tree that grows by names. */
class Merged {
  private readonly nodes: FlameNode[]
  private readonly at = new Map<string, number>()

  constructor(name: string) {
    this.nodes = [{ name, parent: -1, total: 0, self: 0, total_b: 0, self_b: 0 }]
  }

  grow(index: number, by: FlameNode): void {
    const node = this.nodes[index] as FlameNode
    this.nodes[index] = {
      ...node,
      total: node.total + by.total,
      total_b: (node.total_b ?? 0) + (by.total_b ?? 0),
    }
  }

  add(parent: number, name: string, by: FlameNode): number {
    const key = `${parent} ${name}`
    let index = this.at.get(key)
    if (index === undefined) {
      index = this.nodes.length
      this.at.set(key, index)
      this.nodes.push({ name, parent, total: 0, self: 0, total_b: 0, self_b: 0 })
    }
    this.grow(index, by)
    return index
  }

  /** Callers before callees, the widest first among siblings. */
  sorted(): FlameNode[] {
    const { children } = treeOf(this.nodes)
    const order: number[] = [0]
    const place = new Map<number, number>([[0, 0]])
    // grows while it is walked
    for (const index of order) {
      const below = [...(children[index] ?? [])].sort(
        (a, b) => weight(this.nodes[b] as FlameNode) - weight(this.nodes[a] as FlameNode),
      )
      for (const child of below) {
        place.set(child, order.length)
        order.push(child)
      }
    }
    return order.map((index) => {
      const node = this.nodes[index] as FlameNode
      return { ...node, parent: node.parent < 0 ? -1 : (place.get(node.parent) ?? 0) }
    })
  }
}

/** Threads on a stack that a search hits: a hit below a hit counts once. */
export function hits(tree: Tree, search: string): { indexes: Set<number>; threads: number } {
  const wanted = search.trim().toLowerCase()
  const indexes = new Set<number>()
  let threads = 0
  if (!wanted) return { indexes, threads }
  const walk = (index: number, inside: boolean) => {
    const node = tree.nodes[index]
    if (!node) return
    const names = (node as Frame).trunk ?? [node.name]
    const hit = index > 0 && names.some((name) => name.toLowerCase().includes(wanted))
    if (hit) {
      indexes.add(index)
      if (!inside) threads += weight(node)
    }
    for (const child of tree.children[index] ?? []) walk(child, inside || hit)
  }
  walk(0, false)
  return { indexes, threads }
}

/** A frame of a picture: one function, or the trunk that is folded to one box. */
export type Frame = FlameNode & {
  /** The functions of a folded trunk, outermost first. */
  readonly trunk?: readonly string[]
}

/** The trunk holds at least this share of all threads, and is at least so many frames long. */
const TRUNK_SHARE = 0.8
const TRUNK_LEAST = 3
/** What most threads do stays in sight, also where all do the same: so many innermost frames. */
const INNERMOST_SHOWN = 10

/**
 * Fold the frames that nearly all stacks begin with to one box. What leaves the trunk before its end is
 * drawn beside it, below the root; widths stay what they are. Nodes: callers before callees.
 */
export function foldTrunk(nodes: readonly FlameNode[]): Frame[] {
  return fold(nodes, (spine) => spine.length - INNERMOST_SHOWN)
}

/** Fold the frames of libraries with which nearly all inverted stacks begin: waiting itself. */
export function foldLibraries(nodes: readonly FlameNode[]): Frame[] {
  return fold(nodes, (spine) => {
    const own = spine.findIndex(({ name }) => moduleOf(name) !== 'system')
    return own < 0 ? 0 : own
  })
}

/** longest: how many frames of the widest path may be folded. */
function fold(
  nodes: readonly FlameNode[],
  longest: (spine: readonly FlameNode[]) => number,
): Frame[] {
  const all = nodes[0] ? weight(nodes[0]) : 0
  const children = treeOf(nodes).children // the widest first
  const spine: number[] = []
  for (let at = children[0]?.[0]; at !== undefined; at = children[at]?.[0]) spine.push(at)
  const branches = spine.findIndex((at) => weight(nodes[at] as FlameNode) < TRUNK_SHARE * all)
  const shared = branches < 0 ? spine.length : branches
  const most = longest(spine.map((at) => nodes[at] as FlameNode))
  const trunk = spine.slice(0, Math.max(0, Math.min(shared, most)))
  const last = trunk.at(-1)
  if (last === undefined || trunk.length < TRUNK_LEAST) return [...nodes]
  const names = trunk.map((at) => (nodes[at] as FlameNode).name)
  const folded = {
    ...(nodes[last] as FlameNode),
    ...{ name: `${names[0]} … ${names.findLast(isNamed)}`, parent: 0, trunk: names },
  }
  const inTrunk = new Set(trunk)
  const place = new Map<number, number>()
  const result: Frame[] = []
  nodes.forEach((node, at) => {
    if (at === trunk[0]) {
      place.set(last, result.length)
      place.set(at, 0) // what leaves the trunk here is beside it
      result.push(folded)
    } else if (inTrunk.has(at)) {
      if (at !== last) place.set(at, 0)
    } else {
      place.set(at, result.length)
      result.push(node.parent < 0 ? node : { ...node, parent: place.get(node.parent) ?? 0 })
    }
  })
  return result
}

const isNamed = (name: string) => moduleOf(name) !== 'unknown'

/** The same stacks from the innermost frame outwards: below the root what threads do, then who called. */
export function inverted(nodes: readonly FlameNode[]): FlameNode[] {
  const merged = new Merged(nodes[0]?.name ?? 'all')
  if (nodes[0]) merged.grow(0, nodes[0])
  for (const node of nodes) {
    const own = { ...node, total: node.self, total_b: node.self_b ?? 0 }
    if (node.parent < 0 || weight(own) === 0) continue
    let into = 0
    let frame: FlameNode | undefined = node
    for (; frame && frame.parent >= 0; frame = nodes[frame.parent])
      into = merged.add(into, frame.name, own)
  }
  return merged.sorted()
}

/** -1..1: the share of threads per sample that the second side has more (or less) of. */
export function change(node: FlameNode, samples: number, samplesB: number): number {
  const a = samples > 0 ? node.total / samples : 0
  const b = samplesB > 0 ? (node.total_b ?? 0) / samplesB : 0
  return a + b === 0 ? 0 : (b - a) / (a + b)
}
