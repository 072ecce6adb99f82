/** Places a merged stack tree as an icicle: callers above callees, width by threads. */
import {
  hierarchy,
  type HierarchyNode,
  type HierarchyRectangularNode,
  partition,
} from 'd3-hierarchy'
import type { components } from '@/api/schema'

export type FlameDoc = components['schemas']['FlameDoc']
export type FlameNode = components['schemas']['FlameNode']
export type Tone = 'waiting' | 'io' | 'running' | 'plain'

export type Box = {
  readonly index: number
  readonly name: string
  readonly x: number
  readonly width: number
  readonly depth: number
  /** Threads, summed over the samples of both sides. */
  readonly total: number
}

export type Tree = {
  readonly nodes: readonly FlameNode[]
  readonly children: readonly (readonly number[])[]
  /** The same as a d3 hierarchy of the indexes; `places[i]` is node i, and its value the width. */
  readonly places: readonly HierarchyNode<number>[]
}

/** Siblings by name (a function keeps its place in every picture), or the widest first. */
type Order = 'name' | 'heavy'

export function treeOf(nodes: readonly FlameNode[], order: Order = 'heavy'): Tree {
  const children: number[][] = nodes.map(() => [])
  nodes.forEach((node, index) => {
    if (node.parent >= 0) children[node.parent]?.push(index)
  })
  const name = (index: number) => nodes[index]?.name ?? ''
  const wide = (index: number) => weight(nodes[index] as FlameNode)
  for (const siblings of children) {
    siblings.sort((a, b) =>
      order === 'heavy' ? wide(b) - wide(a) : name(a) < name(b) ? -1 : name(a) > name(b) ? 1 : 0,
    )
  }
  return { nodes, children, places: placesOf(nodes, children) }
}

function placesOf(
  nodes: readonly FlameNode[],
  children: Tree['children'],
): HierarchyNode<number>[] {
  const places: HierarchyNode<number>[] = []
  const width = (index: number) => weight(nodes[index] as FlameNode)
  if (nodes.length === 0) return places
  const own = (index: number) =>
    (children[index] ?? []).reduce((rest, child) => rest - width(child), width(index))
  const root = hierarchy(0, (index) => children[index]).sum(own)
  for (const place of root) places[place.data] = place
  return places
}

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

export const weight = (node: FlameNode): number => node.total + (node.total_b ?? 0)

/** Boxes of at least `least` pixels below (and above) the focused node, which fills the width. */
export function layoutFlame(tree: Tree, focus: number, width: number, least = 1.5): Box[] {
  const root = tree.places[focus]
  if (!root?.value || width <= 0) return []
  const boxes: Box[] = []
  const add = (index: number, x: number, wide: number, depth: number) => {
    const node = tree.nodes[index]
    if (node) boxes.push({ index, name: node.name, x, width: wide, depth, total: weight(node) })
  }
  for (const above of root.ancestors().slice(1).reverse()) add(above.data, 0, width, above.depth)
  const placed = partition<number>().size([width, 1])(root)
  placed.eachBefore(({ data, x0, x1, depth }: HierarchyRectangularNode<number>) => {
    if (x1 - x0 >= least) add(data, x0, x1 - x0, depth)
  })
  return boxes
}

/** The box that an arrow key leads to: a frame's widest callee, its caller, its neighbours. */
export function stepFlame(
  tree: Tree,
  boxes: readonly Box[],
  from: Box,
  key: string,
): Box | undefined {
  const parent = tree.nodes[from.index]?.parent ?? -1
  if (key === 'ArrowUp') return boxes.find((box) => box.index === parent)
  if (key === 'ArrowDown') {
    const below = boxes.filter((box) => tree.nodes[box.index]?.parent === from.index)
    return below.reduce<Box | undefined>((a, b) => (a && a.width >= b.width ? a : b), undefined)
  }
  if (key !== 'ArrowLeft' && key !== 'ArrowRight') return undefined
  const row = boxes.filter((box) => box.depth === from.depth).sort((a, b) => a.x - b.x)
  const at = row.findIndex((box) => box.index === from.index)
  return at < 0 ? undefined : row[key === 'ArrowLeft' ? at - 1 : at + 1]
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
    const hit = index > 0 && node.name.toLowerCase().includes(wanted)
    if (hit) {
      indexes.add(index)
      if (!inside) threads += weight(node)
    }
    for (const child of tree.children[index] ?? []) walk(child, inside || hit)
  }
  walk(0, false)
  return { indexes, threads }
}

const WAITING =
  /^(futex|_*lll_|__GI___lll|_*pthread_cond|_*pthread_mutex|rw_lock_|sync_array|os_event_wait|os_cond|mutex_|PolicyMutex|TTAS|MDL_context::acquire|lock_wait|__futex|_*clock_nanosleep)/
const IO =
  /^(_*f(data)?sync|_*datasync|p(read|write)|_*libc_p(read|write)|io_|os_file_|fil_flush|buf_read_page)/

/** Colour by the name of the function; most names match no pattern and are "running". */
export function toneOf(name: string): Tone {
  if (WAITING.test(name)) return 'waiting'
  if (IO.test(name)) return 'io'
  if (name === '??' || name.endsWith('::??')) return 'plain'
  return 'running'
}

/** -1..1: the share of threads per sample that the second side has more (or less) of. */
export function change(node: FlameNode, samples: number, samplesB: number): number {
  const a = samples > 0 ? node.total / samples : 0
  const b = samplesB > 0 ? (node.total_b ?? 0) / samplesB : 0
  return a + b === 0 ? 0 : (b - a) / (a + b)
}
