/** Exports the graph: the layout as SVG text, the nodes as rows. */
import { escapeXml, type Rows, svgDocument } from '@/charts/exportSvg'
import { layoutWaitGraph, type PlacedNode } from './layout'
import type { WaitGraph } from '../waitGraph'
import {
  DASH,
  edgeKind,
  GLYPH,
  KIND,
  kindsOf,
  type NodePersistence,
  persistenceOf,
  MARK,
  seenIn,
} from '../nodeText'

const HEAD = 44
const WIDTH = 1200
const LETTER = 6.7

/** Draw a whole SVG document: headline above, roots left, waiters right. */
export function graphSvg(graph: WaitGraph, title: string): string {
  const layout = layoutWaitGraph(graph, WIDTH)
  const kindOf = kindsOf(graph)
  const cyclic = new Set(graph.cycles.flat())
  const edges = layout.edges.map(({ edge, path, strokeWidth }) => {
    const dash = DASH[edgeKind(edge, kindOf)]
    const stroke = edge.mark
      ? markColour(edge.mark)
      : edge.kind === 'held_by'
        ? 'var(--holding)'
        : 'var(--g7)'
    return `<path d="${path}" fill="none" stroke="${stroke}" stroke-width="${strokeWidth}"${dash ? ` stroke-dasharray="${dash}"` : ''}${edge.inferred ? ' stroke-opacity="0.6"' : ''}/>`
  })
  const nodes = layout.nodes.map((placed) => box(placed, cyclic.has(placed.node.id)))
  const words = graph.difference || graph.headline
  const head = `<text x="12" y="20" font-size="15" fill="var(--text)">${escapeXml(words)}</text><text x="12" y="38" font-size="11" fill="var(--text-2)">${escapeXml(title)}</text>`
  return svgDocument(
    `${head}<g transform="translate(0 ${HEAD})">${edges.join('')}${nodes.join('')}</g>`,
    {
      width: Math.max(layout.width, 24 + words.length * 7.6),
      height: layout.height + HEAD,
      title,
      description: graph.headline,
    },
  )
}

/** Neighbours of a node that its picture shows, the most blocking first. */
const MOST_NEIGHBOURS = 24

/** Draw a node (or the ends of an edge) with its neighbours: the picture of a pin. */
export function nearSvg(graph: WaitGraph, ids: readonly string[], title: string): string {
  const wanted = new Set(ids)
  const blocks = new Map(graph.nodes.map((node) => [node.id, node.blocks_total]))
  const neighbours = graph.edges
    .flatMap(({ source, target }) =>
      wanted.has(source) ? [target] : wanted.has(target) ? [source] : [],
    )
    .sort((a, b) => (blocks.get(b) ?? 0) - (blocks.get(a) ?? 0))
  const near = new Set([...ids, ...neighbours.slice(0, MOST_NEIGHBOURS)])
  return graphSvg(
    {
      ...graph,
      nodes: graph.nodes.filter((node) => near.has(node.id)),
      edges: graph.edges.filter(({ source, target }) => near.has(source) && near.has(target)),
    },
    title,
  )
}

function box({ node, x, y, width, height }: PlacedNode, cycle: boolean): string {
  const stroke = node.mark
    ? markColour(node.mark)
    : node.root
      ? 'var(--holding)'
      : node.waiting
        ? 'var(--waiting)'
        : 'var(--border)'
  const count = node.blocks_total > 0 ? String(node.blocks_total) : ''
  const room = width - 34 - count.length * 8
  const sign = MARK[node.mark].sign
  const words = `${sign ? `${sign} ` : ''}${cycle ? 'deadlock ' : ''}${node.label}`
  const outline = `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="4" fill="var(--bg)" stroke="${stroke}" stroke-width="${node.root ? 2 : 1}"${node.inferred ? ' stroke-dasharray="4 3"' : ''}/>`
  const inner = cycle
    ? `<rect x="${x + 2.5}" y="${y + 2.5}" width="${width - 5}" height="${height - 5}" rx="3" fill="none" stroke="${stroke}"/>`
    : ''
  return (
    `<g>${outline}${inner}` +
    `<text x="${x + 8}" y="${y + 16}" fill="var(--text-2)">${GLYPH[node.kind] ?? ''}</text>` +
    `<text x="${x + 24}" y="${y + 16}" fill="var(--text)" font-family="JetBrains Mono, monospace" font-size="11">${escapeXml(cut(words, room))}</text>` +
    (count
      ? `<text x="${x + width - 8}" y="${y + 16}" text-anchor="end" font-weight="600" fill="var(--holding-text)">${count}</text>`
      : '') +
    '</g>'
  )
}

function cut(words: string, room: number): string {
  const letters = Math.max(4, Math.floor(room / LETTER))
  return words.length <= letters ? words : `${words.slice(0, letters - 1)}…`
}

function markColour(mark: string): string {
  return mark === 'added'
    ? 'var(--diff-more)'
    : mark === 'gone'
      ? 'var(--diff-less)'
      : 'var(--border)'
}

export function graphRows(graph: WaitGraph, lasting: ReadonlyMap<string, NodePersistence>): Rows {
  const name = new Map(graph.nodes.map((node) => [node.id, node.label]))
  const ahead = new Map<string, string[]>()
  for (const edge of graph.edges) {
    if (edge.mark === 'gone') continue
    const label = name.get(edge.target) ?? edge.target
    const known = ahead.get(edge.source)
    if (known) known.push(label)
    else ahead.set(edge.source, [label])
  }
  return {
    columns: [
      'id',
      'who_or_what',
      'kind',
      'change',
      'root',
      'waits_for_or_held_by',
      'blocks_total',
      'blocks_direct',
      'threads',
      'waited_s',
      'mode',
      'seen_in_moments',
      'blocked_thread_s',
      'detail',
      'query',
    ],
    rows: graph.nodes.map((node) => {
      const stuck = persistenceOf(node, lasting)
      return [
        node.id,
        node.label,
        KIND[node.kind] ?? node.kind,
        MARK[node.mark].word || null,
        node.root ? 'root' : null,
        ahead.get(node.id)?.join('; ') ?? null,
        node.blocks_total,
        node.blocks_direct,
        node.members,
        node.waited_s,
        node.mode,
        stuck ? seenIn(stuck) : null,
        stuck?.blocked_thread_s ?? null,
        node.detail,
        node.query,
      ]
    }),
  }
}
