/** The graph as a matrix: who waits or holds by row, for or by what by column. Pure. */
import type { WaitEdge, WaitGraph, WaitNode } from '../waitGraph'

type Matrix = {
  readonly rows: readonly WaitNode[]
  readonly columns: readonly WaitNode[]
  readonly cell: (row: string, column: string) => WaitEdge | undefined
  /** Nodes that did not fit. */
  readonly left: number
}

/** The most rows or columns that are drawn; the rest is counted. */
export const MOST_SIDES = 120

/** Rows are sources of edges, columns their targets; both with the most threads behind them first. */
export function matrixOf(graph: WaitGraph): Matrix {
  const edges = graph.edges.filter((edge) => edge.mark !== 'gone')
  const byId = new Map(graph.nodes.map((node) => [node.id, node]))
  const ranked = (ids: Iterable<string>) =>
    [...new Set(ids)]
      .flatMap((id) => byId.get(id) ?? [])
      .sort(
        (a, b) => b.blocks_total - a.blocks_total || a.depth - b.depth || (a.id < b.id ? -1 : 1),
      )
  const rows = ranked(edges.map((edge) => edge.source))
  const columns = ranked(edges.map((edge) => edge.target))
  const cells = new Map(edges.map((edge) => [`${edge.source}\u0000${edge.target}`, edge]))
  return {
    rows: rows.slice(0, MOST_SIDES),
    columns: columns.slice(0, MOST_SIDES),
    cell: (row, column) => cells.get(`${row}\u0000${column}`),
    left: Math.max(0, rows.length - MOST_SIDES) + Math.max(0, columns.length - MOST_SIDES),
  }
}
