/** The chains and the tree of the wait graph of a report file. */
import { blockersOf, groupIds, waitersOf } from '@/charts/graphWalk'
import type { GraphDrawing, GraphNode } from './data'

type TreeRow = { readonly node: GraphNode; readonly depth: number }

/** The ids of everything that blocks the node and everything it blocks, itself included. */
export function chain(graph: GraphDrawing, id: string): Set<string> {
  const edges = graph.edges.map(([source, target]) => ({ source, target }))
  return new Set([id, ...blockersOf(edges, id), ...waitersOf(edges, id)])
}

/** Rows of the tree: roots first, each followed by the nodes that it blocks; every node once. */
export function tree(graph: GraphDrawing): TreeRow[] {
  const byId = new Map(graph.nodes.map((node) => [node.id, node]))
  const behind = groupIds(graph.edges.map(([source, target]) => [target, source]))
  const weight = (node: GraphNode) => -(node.blocks_total ?? 0)
  const order = (a: GraphNode, b: GraphNode) =>
    weight(a) - weight(b) || a.label.localeCompare(b.label)
  const roots = [...graph.nodes].sort(
    (a, b) => Number(b.root ?? false) - Number(a.root ?? false) || a.depth - b.depth || order(a, b),
  )
  const rows: TreeRow[] = []
  const seen = new Set<string>()
  for (const root of roots) {
    const left: TreeRow[] = [{ node: root, depth: 0 }]
    for (let row = left.pop(); row; row = left.pop()) {
      if (seen.has(row.node.id)) continue
      seen.add(row.node.id)
      rows.push(row)
      const depth = row.depth + 1
      const waiting = (behind.get(row.node.id) ?? [])
        .map((id) => byId.get(id))
        .filter((node): node is GraphNode => node !== undefined)
        .sort(order)
      for (const node of waiting.reverse()) left.push({ node, depth })
    }
  }
  return rows
}
