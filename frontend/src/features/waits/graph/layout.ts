/**
 * Layout of a wait graph: roots at the left, waiters to the right, in columns of boxes.
 *
 * Columns are the depths that the engine computed. Within a column a node follows what it waits for,
 * and of those that wait for the same, the one with the most sessions behind or in it comes first. A
 * few nodes are cards with their statement, as high as the sessions they block are many; many nodes
 * are rows, and so are those whose cards would not be in sight together. Given the layout of the moment before, no box that stays moves (`places.ts`). Pure: data and
 * sizes in, CSS pixels out; y grows downwards. Linear in nodes and edges, but for the sorts.
 */
import { bisector, groups, max, sum } from 'd3-array'
import { groupIds } from '@/charts/graphWalk'
import {
  CARDS_AT_MOST,
  cardHeight,
  cardIn,
  cardNeed,
  cardOf,
  heightsIn,
  type Card,
  type LabelLines,
} from './card'
import { columnsOf, type Places, remember, stack } from './places'
import { queuePlaces } from '../nodeText'
import type { WaitEdge, WaitGraph, WaitNode } from '../waitGraph'

export interface PlacedNode {
  node: WaitNode
  /** The same in all moments: a session, a resource, a group. */
  key: string
  x: number
  y: number
  width: number
  height: number
  /** Sessions behind or in it, as a share of the most of any node: 0..1. */
  weight: number
  /** What a card shows; null: a row. */
  card: Card | null
  /** Lines of a row: of its label, and below it one of what it runs or where it waits. */
  row: { readonly label: 1 | 2; readonly text: boolean } | null
}

export interface PlacedEdge {
  edge: WaitEdge
  key: string
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
  /** Its waiter is not at the right of what it waits for. */
  backward: boolean
}

export interface GraphLayout {
  nodes: PlacedNode[]
  /** The same nodes by column, each from top to bottom. */
  columns: PlacedNode[][]
  edges: PlacedEdge[]
  width: number
  height: number
  dense: boolean
  /** Where the columns are; also those of moments before that had more of them. */
  frame: ColumnFrame
  /** Where the boxes of this and of recent moments are, by key. */
  places: Places
}

type ColumnFrame = {
  readonly widths: readonly number[]
  readonly gap: number
  readonly lines: LabelLines
  /** Whether rows have a line of text. */
  readonly text: boolean
}

/** The least zoom of a graph that fits itself: smaller, its texts cannot be read. */
export const LEAST_FIT = 0.65
export const ROW = 30
const NODE_HEIGHT = 24
/** Of nodes whose labels take two lines, where the columns would not fit side by side. */
const TALL_ROW = 44
const TALL_HEIGHT = 38
const CARD_GAP = 14
/** What a row grows by for a line of text. */
const TEXT_LINE = 15
/** In a column whose cards lose lines. */
const TIGHT_GAP = 8
const MARGIN = 12
const WIDEST_GAP = 80
/** By the lines of the labels. */
const NARROWEST_GAP = { 1: 28, 2: 28, 3: 12 } as const
const NARROWEST = 120
/** Width of an empty column: that of the narrowest card. */
const EMPTY_COLUMN = 168
const WIDEST = 380
/** The most room that a label gets. */
const LABEL_AT_MOST = 300
/** Width of a letter of the monospaced font at 12 px. */
const LETTER = 7.25
const EMPTY: GraphLayout = {
  ...{ nodes: [], columns: [], edges: [], width: 0, height: 0, dense: false },
  frame: { widths: [], gap: 0, lines: 1, text: false },
  places: new Map(),
}

/**
 * before: the layout of the moment shown before, from which every box that stays keeps its place.
 * availableHeight: of the frame; cards lose lines, or become rows, where that shows the whole graph.
 */
export function layoutWaitGraph(
  graph: Pick<WaitGraph, 'nodes' | 'edges'>,
  availableWidth: number,
  before: GraphLayout | null = null,
  availableHeight = Infinity,
): GraphLayout {
  if (graph.nodes.length === 0) return before ? nothingAfter(before) : EMPTY
  const size = { before, width: availableWidth, height: availableHeight }
  const isWhole = ({ height }: GraphLayout) => height * LEAST_FIT <= availableHeight
  // Cards become rows in their places; rows stay rows.
  if (before?.dense || graph.nodes.length > CARDS_AT_MOST)
    return arrange(graph, { ...size, dense: true, text: before?.frame.text ?? false })
  const cards = arrange(graph, { ...size, dense: false, text: false })
  if (before || isWhole(cards)) return cards
  for (const text of [true, false]) {
    const rows = arrange(graph, { ...size, dense: true, text })
    if (isWhole(rows)) return rows
  }
  return arrange(graph, { ...size, height: Infinity, dense: false, text: false })
}

type Arrangement = {
  readonly dense: boolean
  /** Whether rows have a line of text below their label. */
  readonly text: boolean
  readonly before: GraphLayout | null
  readonly width: number
  readonly height: number
}

function arrange(
  graph: Pick<WaitGraph, 'nodes' | 'edges'>,
  { dense, text, before, width: availableWidth, height: availableHeight }: Arrangement,
): GraphLayout {
  const boxes = boxesOf(graph, dense)
  const ahead = groupIds(graph.edges.map(({ source, target }) => [source, target]))
  const nodesOf = nodesByColumn(graph, boxes, ahead, before?.places ?? null)
  const fresh = columnWidths(nodesOf, availableWidth - 2 * MARGIN, dense)
  const frame = { ...(before ? withMoreColumns(before.frame, fresh) : fresh), text }
  const { widths, gap, lines } = frame
  const gapBelow = dense ? (lines === 1 ? ROW - NODE_HEIGHT : TALL_ROW - TALL_HEIGHT) : CARD_GAP

  const zoom = Math.min(1, Math.max(LEAST_FIT, availableWidth / widthOf(frame)))
  const room = availableHeight / zoom - 2 * MARGIN

  const queue = queuePlaces(graph)
  const placed = new Map<string, PlacedNode>()
  const columns: PlacedNode[][] = []
  let x = MARGIN
  for (const [column, nodes] of nodesOf.entries()) {
    const width = widths[column] ?? NARROWEST
    const here = inOrder(nodes, boxes, ahead, placed).map((node): PlacedNode => {
      const { key, mass, weight } = boxes.get(node.id) as Box
      const card = dense
        ? null
        : cardOf(node, width, weight, graph.nodes.length, queue.get(node.id))
      const row = lines === 1 ? NODE_HEIGHT : TALL_HEIGHT
      const height = card ? cardHeight(card, weight) : row + (text ? TEXT_LINE : 0)
      return {
        ...{ node, key, x, y: 0, width, height, card },
        weight: mass > 0 ? weight : 0,
        row: card ? null : { label: lines === 1 ? 1 : 2, text },
      }
    })
    const isTight = !dense && sum(here, ({ height }) => height + CARD_GAP) - CARD_GAP > room
    if (isTight) tighten(here, room)
    columns.push(
      stack(here, {
        ...{ column, top: MARGIN, gap: isTight ? TIGHT_GAP : gapBelow },
        places: before?.places ?? null,
        fit: (box, height) => Object.assign(box, cardIn(box, height)),
      }),
    )
    for (const item of here) placed.set(item.node.id, item)
    x += width + gap
  }
  const edges = graph.edges.flatMap((edge) => {
    const a = placed.get(edge.source)
    const b = placed.get(edge.target)
    return a && b ? [placeEdge(edge, a, b, gap)] : []
  })
  return {
    nodes: columns.flat(),
    columns,
    edges,
    width: x - gap + MARGIN,
    height: 2 * MARGIN + heightOf(columns),
    dense,
    frame,
    places: remember(before?.places ?? null, columns),
  }
}

/** Lower the cards of a column, as far as they can be, to fit into the room. */
function tighten(column: readonly PlacedNode[], room: number) {
  const cards = column.flatMap((box) =>
    box.card ? [{ box, card: box.card, height: box.height }] : [],
  )
  const heights = heightsIn(cards, room - (column.length - 1) * TIGHT_GAP)
  for (const [at, { box }] of cards.entries()) Object.assign(box, cardIn(box, heights[at] ?? 0))
}

const widthOf = ({ widths, gap }: Pick<ColumnFrame, 'widths' | 'gap'>) =>
  sum(widths) + (widths.length - 1) * gap + 2 * MARGIN

/** A moment without waits: the places last through it. */
function nothingAfter({ dense, frame, places }: GraphLayout): GraphLayout {
  return { ...EMPTY, dense, frame, places: remember(places, []) }
}

type Box = { readonly key: string; readonly mass: number; readonly weight: number }

/** Keys and weights of the nodes; two nodes with one lasting key are known by their ids. */
function boxesOf(graph: Pick<WaitGraph, 'nodes'>, dense: boolean): Map<string, Box> {
  const uses = new Map<string, number>()
  const keyOf = (node: WaitNode) => (node.kind === 'group' ? node.id : node.lasting || node.id)
  for (const node of graph.nodes) uses.set(keyOf(node), (uses.get(keyOf(node)) ?? 0) + 1)
  const mass = (node: WaitNode) => (dense ? node.blocks_total : massOf(node))
  const most = max(graph.nodes, mass) ?? 0
  return new Map(
    graph.nodes.map((node) => {
      const key = keyOf(node)
      return [
        node.id,
        {
          key: uses.get(key) === 1 ? key : node.id,
          mass: massOf(node),
          weight: most > 0 ? mass(node) / most : 0,
        },
      ]
    }),
  )
}

/** Sessions that are blocked behind a node, or in it: a group of 160 waiters weighs 160. */
function massOf(node: WaitNode): number {
  return Math.max(node.blocks_total, node.waiting && node.members > 1 ? node.members : 0)
}

/** The nodes by column: the depths that the engine computed, or where they were. */
function nodesByColumn(
  { nodes, edges }: Pick<WaitGraph, 'nodes' | 'edges'>,
  boxes: ReadonlyMap<string, Box>,
  ahead: ReadonlyMap<string, readonly string[]>,
  places: Places | null,
): WaitNode[][] {
  const levels = groups(nodes, (node) => node.depth)
    .sort((a, b) => a[0] - b[0])
    .map(([, level]) => level)
  if (!places) return levels
  const behind = groupIds(edges.map(({ source, target }) => [target, source]))
  const keyOf = (id: string) => boxes.get(id)?.key ?? id
  const columnOf = columnsOf(
    levels.map((level) => level.map(({ id }) => id)),
    { ahead, behind, keyOf, places },
  )
  const most = Math.max(...columnOf.values())
  const result: WaitNode[][] = Array.from({ length: most + 1 }, () => [])
  for (const node of nodes) result[columnOf.get(node.id) ?? 0]?.push(node)
  return result
}

/** A column in order: in that of what its nodes wait for, and of these the heaviest first. */
function inOrder(
  nodes: readonly WaitNode[],
  boxes: ReadonlyMap<string, Box>,
  ahead: ReadonlyMap<string, readonly string[]>,
  placed: ReadonlyMap<string, PlacedNode>,
): WaitNode[] {
  const massOfNode = (id: string) => boxes.get(id)?.mass ?? 0
  const placeOf = (node: WaitNode) => {
    let main: string | null = null
    for (const id of ahead.get(node.id) ?? []) {
      if (placed.has(id) && (main === null || massOfNode(id) > massOfNode(main))) main = id
    }
    return main === null ? Infinity : (placed.get(main)?.y ?? Infinity)
  }
  const places = new Map(nodes.map((node) => [node.id, placeOf(node)]))
  return [...nodes].sort(
    (a, b) =>
      ascending(places.get(a.id) ?? 0, places.get(b.id) ?? 0) ||
      massOfNode(b.id) - massOfNode(a.id) ||
      b.members - a.members ||
      ascending(a.id, b.id),
  )
}

function heightOf(columns: readonly (readonly PlacedNode[])[]): number {
  return (max(columns, (column) => bottomOf(column.at(-1))) ?? MARGIN) - MARGIN
}

const bottomOf = (box: PlacedNode | undefined) => (box ? box.y + box.height : MARGIN)

/** The columns of the moment before, with further ones at their right. */
function withMoreColumns(before: ColumnFrame, fresh: Omit<ColumnFrame, 'text'>): ColumnFrame {
  const widths = [...before.widths, ...fresh.widths.slice(before.widths.length)]
  return { ...before, widths, gap: before.gap || fresh.gap }
}

/**
 * Each column takes what its longest label needs; what is left over is shared for the details. Gaps
 * shrink before labels are broken into two lines, and those before the graph is wider than its view.
 * Cards that would not fit at the least readable zoom break their labels once more.
 */
function columnWidths(
  columns: readonly (readonly WaitNode[])[],
  room: number,
  dense: boolean,
): Omit<ColumnFrame, 'text'> {
  const gaps = columns.length - 1
  const needing = (lines: LabelLines) => {
    const need = (node: WaitNode) =>
      dense ? needOf(node, lines === 1 ? 1 : 2) : cardNeed(node, lines)
    return columns.map((nodes) =>
      Math.min(LABEL_AT_MOST, Math.max(NARROWEST, max(nodes, need) ?? EMPTY_COLUMN)),
    )
  }
  const fits = (lines: LabelLines, within: number) =>
    sum(needing(lines)) + gaps * NARROWEST_GAP[lines] <= within
  const lines = fits(1, room) ? 1 : dense || fits(2, room / LEAST_FIT) ? 2 : 3
  const needs = needing(lines)
  const total = sum(needs)
  const most = Math.floor((room - total) / gaps / 2)
  const gap = gaps === 0 ? 0 : Math.min(WIDEST_GAP, Math.max(NARROWEST_GAP[lines], most))
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

type View = { readonly left: number; readonly top: number; right: number; bottom: number }

const byTop = bisector((placed: PlacedNode) => placed.y)
const byBottom = bisector((placed: PlacedNode) => placed.y + placed.height)

/** The nodes and edges of a layout inside a box, so that only those are drawn. */
export function visibleIn(
  layout: GraphLayout,
  box: View,
): { nodes: PlacedNode[]; edges: PlacedEdge[] } {
  const nodes = layout.columns.flatMap((column) => {
    const first = column[0]
    if (!first || first.x > box.right || first.x + first.width < box.left) return []
    return column.slice(byBottom.left(column, box.top), byTop.right(column, box.bottom))
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
  { x: m, x1, y1, x2, y2 }: Pick<PlacedEdge, 'x' | 'x1' | 'y1' | 'x2' | 'y2'>,
  box?: View,
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
  const key = `${a.key}>${b.key}${edge.kind}${edge.mark}`
  return { edge, key, path, ...place, strokeWidth, backward: a.x <= b.x }
}

function ascending<T extends number | string>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0
}
