/**
 * Places a wait graph: roots at the left, waiters to the right, one row per node.
 *
 * Columns are the depths that the engine computed. Within a column nodes follow their parents
 * (barycentre), then the number of threads they block, so that edges rarely cross. Pure: data and
 * sizes in, CSS pixels out; y grows downwards. Linear in nodes and edges, but for the sorts.
 */
import { groups, max, mean } from 'd3-array'
import type { components } from '@/api/schema'

export type WaitGraph = components['schemas']['WaitGraph']
export type WaitNode = components['schemas']['WaitNode']
export type WaitEdge = components['schemas']['WaitEdge']

export interface PlacedNode {
  node: WaitNode
  x: number
  y: number
  width: number
  height: number
  /** Threads blocked, as a share of the most that any node blocks: 0..1. */
  weight: number
}

export interface PlacedEdge {
  edge: WaitEdge
  /** SVG path from the left box's right side to the right box's left side. */
  path: string
  /** Middle of the curve, for its label. */
  x: number
  y: number
  strokeWidth: number
}

export interface GraphLayout {
  nodes: PlacedNode[]
  edges: PlacedEdge[]
  width: number
  height: number
}

export const ROW = 30
export const NODE_HEIGHT = 24
const MARGIN = 12
const COLUMN_GAP = 80
const NARROWEST = 232
const WIDEST = 380

export function layoutWaitGraph(
  graph: Pick<WaitGraph, 'nodes' | 'edges'>,
  availableWidth: number,
): GraphLayout {
  const columns = groups(graph.nodes, (node) => node.depth).sort((a, b) => a[0] - b[0])
  if (columns.length === 0) return { nodes: [], edges: [], width: 0, height: 0 }
  const room = (availableWidth - 2 * MARGIN + COLUMN_GAP) / columns.length - COLUMN_GAP
  const width = Math.min(WIDEST, Math.max(NARROWEST, Math.floor(room)))
  const most = max(graph.nodes, (node) => node.blocks_total) ?? 0
  const neighbours = neighboursOf(graph.edges)

  const placed = new Map<string, PlacedNode>()
  for (const [column, [, nodes]] of columns.entries()) {
    const pull = new Map(
      nodes.map((node) => [
        node.id,
        mean(neighbours.get(node.id) ?? [], (id) => placed.get(id)?.y) ?? Infinity,
      ]),
    )
    const sorted = [...nodes].sort(
      (a, b) =>
        ascending(pull.get(a.id) ?? 0, pull.get(b.id) ?? 0) ||
        b.blocks_total - a.blocks_total ||
        b.members - a.members ||
        a.id.localeCompare(b.id),
    )
    for (const [row, node] of sorted.entries()) {
      placed.set(node.id, {
        node,
        x: MARGIN + column * (width + COLUMN_GAP),
        y: MARGIN + row * ROW,
        width,
        height: NODE_HEIGHT,
        weight: most > 0 ? node.blocks_total / most : 0,
      })
    }
  }
  const edges = graph.edges.flatMap((edge) => {
    const a = placed.get(edge.source)
    const b = placed.get(edge.target)
    return a && b ? [placeEdge(edge, a, b)] : []
  })
  return {
    nodes: [...placed.values()],
    edges,
    width: 2 * MARGIN + columns.length * (width + COLUMN_GAP) - COLUMN_GAP,
    height: 2 * MARGIN + (max(columns, ([, nodes]) => nodes.length) ?? 0) * ROW,
  }
}

/** Everything that a node waits for or that waits for it, through any number of edges. */
export function connected(edges: readonly WaitEdge[], id: string): Set<string> {
  const neighbours = neighboursOf(edges)
  const seen = new Set([id])
  const queue = [id]
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    for (const other of neighbours.get(next) ?? []) {
      if (!seen.has(other)) {
        seen.add(other)
        queue.push(other)
      }
    }
  }
  return seen
}

function neighboursOf(edges: readonly WaitEdge[]): Map<string, string[]> {
  const found = new Map<string, string[]>()
  const add = (from: string, to: string) => {
    const known = found.get(from)
    if (known) known.push(to)
    else found.set(from, [to])
  }
  for (const edge of edges) {
    add(edge.source, edge.target)
    add(edge.target, edge.source)
  }
  return found
}

function placeEdge(edge: WaitEdge, a: PlacedNode, b: PlacedNode): PlacedEdge {
  const strokeWidth = 1 + Math.min(4, Math.log2(Math.max(1, edge.count)) / 2)
  const [left, right] = a.x <= b.x ? [a, b] : [b, a]
  const y1 = left.y + left.height / 2
  const y2 = right.y + right.height / 2
  if (left.x === right.x) {
    // Two nodes of one depth (a cycle): bend around the right side.
    const x = left.x + left.width
    const bend = x + COLUMN_GAP / 3
    return {
      edge,
      path: `M${x},${y1}C${bend},${y1} ${bend},${y2} ${x},${y2}`,
      x: bend,
      y: (y1 + y2) / 2,
      strokeWidth,
    }
  }
  const x1 = left.x + left.width
  const x2 = right.x
  const middle = (x1 + x2) / 2
  return {
    edge,
    path: `M${x1},${y1}C${middle},${y1} ${middle},${y2} ${x2},${y2}`,
    x: middle,
    y: (y1 + y2) / 2,
    strokeWidth,
  }
}

function ascending(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0
}
