/**
 * Layout of a wait graph: roots at the left, waiters to the right, one row per node.
 *
 * Columns are the depths that the engine computed. Within a column nodes follow their parents
 * (barycentre), then the number of threads they block, so that edges rarely cross. Pure: data and
 * sizes in, CSS pixels out; y grows downwards. Linear in nodes and edges, but for the sorts.
 */
import { groups, max, mean } from 'd3-array'
import { neighboursOf } from '@/charts/graphWalk'
import type { WaitEdge, WaitGraph, WaitNode } from '../waitGraph'

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
  x1: number
  y1: number
  x2: number
  y2: number
  strokeWidth: number
}

export interface GraphLayout {
  nodes: PlacedNode[]
  /** The same nodes by column, each from top to bottom. */
  columns: PlacedNode[][]
  edges: PlacedEdge[]
  width: number
  height: number
  /** From one row to the next. */
  row: number
}

export const ROW = 30
const NODE_HEIGHT = 24
/** Of nodes whose labels take two lines, where the columns would not fit side by side. */
const TALL_ROW = 44
const TALL_HEIGHT = 38
const MARGIN = 12
const WIDEST_GAP = 80
const NARROWEST_GAP = 28
const NARROWEST = 120
const WIDEST = 380
/** The most room that a label gets. */
const LABEL_AT_MOST = 300
/** Width of a letter of the monospaced font at 12 px. */
const LETTER = 7.25

export function layoutWaitGraph(
  graph: Pick<WaitGraph, 'nodes' | 'edges'>,
  availableWidth: number,
): GraphLayout {
  const byDepth = groups(graph.nodes, (node) => node.depth).sort((a, b) => a[0] - b[0])
  if (byDepth.length === 0) {
    return { nodes: [], columns: [], edges: [], width: 0, height: 0, row: ROW }
  }
  const { widths, gap, lines } = columnWidths(
    byDepth.map(([, nodes]) => nodes),
    availableWidth - 2 * MARGIN,
  )
  const [rowHeight, height] = lines === 1 ? [ROW, NODE_HEIGHT] : [TALL_ROW, TALL_HEIGHT]
  const most = max(graph.nodes, (node) => node.blocks_total) ?? 0
  const neighbours = neighboursOf(graph.edges)

  const placed = new Map<string, PlacedNode>()
  const columns: PlacedNode[][] = []
  let x = MARGIN
  for (const [column, [, nodes]] of byDepth.entries()) {
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
        ascending(a.id, b.id),
    )
    const width = widths[column] ?? NARROWEST
    const here = sorted.map((node, row) => ({
      node,
      x,
      y: MARGIN + row * rowHeight,
      width,
      height,
      weight: most > 0 ? node.blocks_total / most : 0,
    }))
    for (const item of here) placed.set(item.node.id, item)
    columns.push(here)
    x += width + gap
  }
  const edges = graph.edges.flatMap((edge) => {
    const a = placed.get(edge.source)
    const b = placed.get(edge.target)
    return a && b ? [placeEdge(edge, a, b, gap)] : []
  })
  return {
    nodes: [...placed.values()],
    columns,
    edges,
    width: x - gap + MARGIN,
    height: 2 * MARGIN + (max(columns, (column) => column.length) ?? 0) * rowHeight,
    row: rowHeight,
  }
}

/**
 * Each column takes what its longest label needs; what is left over is shared for the details. Gaps
 * shrink before labels are broken into two lines, and those before the graph is wider than its view.
 */
function columnWidths(
  columns: readonly (readonly WaitNode[])[],
  room: number,
): { widths: number[]; gap: number; lines: 1 | 2 } {
  const gaps = columns.length - 1
  const needing = (lines: 1 | 2) =>
    columns.map((nodes) =>
      Math.min(
        LABEL_AT_MOST,
        Math.max(NARROWEST, max(nodes, (node) => needOf(node, lines)) ?? NARROWEST),
      ),
    )
  const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0)
  const item = needing(1)
  const lines = sum(item) + gaps * NARROWEST_GAP > room ? 2 : 1
  const needs = lines === 1 ? item : needing(2)
  const total = sum(needs)
  const gap =
    gaps === 0
      ? 0
      : Math.min(WIDEST_GAP, Math.max(NARROWEST_GAP, Math.floor((room - total) / gaps / 2)))
  const spare = Math.max(0, room - total - gap * gaps) / columns.length
  return { widths: needs.map((need) => Math.floor(Math.min(WIDEST, need + spare))), gap, lines }
}

/** Pixels for the glyph, the label and the counts of a node; what is beyond is for its details. */
export function needOf(node: WaitNode, lines: 1 | 2 = 1): number {
  const count = node.blocks_total > 0 ? 18 + 7 * String(node.blocks_total).length : 0
  const members = node.members > 1 && node.kind !== 'group' ? 34 : 0
  const mark = node.mark ? 20 : 0
  // Words are not broken evenly: half of them and a little more.
  const label = lines === 1 ? node.label.length : Math.ceil(node.label.length / 2) + 3
  return 40 + label * LETTER + count + members + mark
}

type Box = { readonly left: number; readonly top: number; right: number; bottom: number }

/** The nodes and edges of a layout inside a box, so that only those are drawn. */
export function visibleIn(
  layout: GraphLayout,
  box: Box,
): { nodes: PlacedNode[]; edges: PlacedEdge[] } {
  const rows = (y: number) => Math.max(0, Math.floor((y - MARGIN) / layout.row))
  const nodes = layout.columns.flatMap((column) => {
    const first = column[0]
    if (!first || first.x > box.right || first.x + first.width < box.left) return []
    return column.slice(rows(box.top), rows(box.bottom) + 1)
  })
  const inside: PlacedEdge[] = []
  const leaving = new Map<string, PlacedEdge>()
  for (const edge of layout.edges) {
    const low = Math.min(edge.y1, edge.y2)
    const high = Math.max(edge.y1, edge.y2)
    if (low > box.bottom || high < box.top || edge.x1 > box.right || edge.x2 < box.left) continue
    if (!isTall(edge) || (low >= box.top && high <= box.bottom)) inside.push(edge)
    else keepWidest(leaving, outline(edge, box), edge)
  }
  const clipped = [...leaving].map(([path, edge]) => ({ ...edge, path }))
  return { nodes, edges: [...inside, ...clipped] }
}

/** An edge is drawn as a line down the gap from this height on; lines of one bundle overlap. */
const TALL = 600
const BEND = 60

function isTall({ y1, y2 }: Pick<PlacedEdge, 'y1' | 'y2'>): boolean {
  return Math.abs(y2 - y1) > TALL
}

/** Keep one of the lines that overlap, perhaps thousands: the widest. */
function keepWidest(drawn: Map<string, PlacedEdge>, path: string, edge: PlacedEdge) {
  const key = `${path}${edge.edge.mark ? ' ' : ''}`
  const known = drawn.get(key)
  if (!known || known.strokeWidth < edge.strokeWidth) drawn.set(key, edge)
}

/** A tall edge: a bend, a line down the gap, a bend; cut to a box where one is given. */
function outline(
  { x: m, x1, y1, x2, y2 }: Omit<PlacedEdge, 'edge' | 'path' | 'strokeWidth'>,
  box?: Box,
) {
  const way = Math.sign(y2 - y1)
  const [top, bottom] = box ? [box.top, box.bottom] : [-Infinity, Infinity]
  const cut = (y: number) => Math.min(bottom, Math.max(top, y))
  const from = y1 >= top && y1 <= bottom ? `M${x1},${y1}C${m},${y1} ${m},${y1}` : ''
  const start = from ? `${from} ${m},${y1 + way * BEND}` : `M${m},${cut(y1)}`
  const end = y2 >= top && y2 <= bottom ? `C${m},${y2} ${m},${y2} ${x2},${y2}` : ''
  return `${start}V${end ? y2 - way * BEND : cut(y2)}${end}`
}

function placeEdge(edge: WaitEdge, a: PlacedNode, b: PlacedNode, gap: number): PlacedEdge {
  const strokeWidth = 1 + Math.min(4, Math.log2(Math.max(1, edge.count)) / 2)
  const [left, right] = a.x <= b.x ? [a, b] : [b, a]
  const y1 = left.y + left.height / 2
  const y2 = right.y + right.height / 2
  const x1 = left.x + left.width
  // Two nodes of one depth (a cycle) are joined by a bend around the right side.
  const same = left.x === right.x
  const x2 = same ? x1 : right.x
  const middle = same ? x1 + Math.max(24, gap) / 2 : (x1 + x2) / 2
  const place = { x: middle, y: (y1 + y2) / 2, x1, y1, x2, y2 }
  const path = isTall(place)
    ? outline(place)
    : `M${x1},${y1}C${middle},${y1} ${middle},${y2} ${x2},${y2}`
  return { edge, path, ...place, strokeWidth }
}

function ascending<T extends number | string>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0
}
