/** Pure questions about the wait graph of a report file. */
import type { GraphDrawing, GraphNode } from './data'

type TreeRow = { readonly node: GraphNode; readonly depth: number }

/** Everything that the node waits behind and everything that waits behind it, itself included. */
export function chain(graph: GraphDrawing, id: string): Set<string> {
  const ahead = new Map<string, string[]>()
  const behind = new Map<string, string[]>()
  for (const [source, target] of graph.edges) {
    push(ahead, source, target)
    push(behind, target, source)
  }
  const found = new Set([id])
  for (const edges of [ahead, behind]) {
    const seen = new Set([id])
    const left = [id]
    for (let at = left.pop(); at !== undefined; at = left.pop()) {
      for (const next of edges.get(at) ?? []) {
        if (seen.has(next)) continue
        seen.add(next)
        found.add(next)
        left.push(next)
      }
    }
  }
  return found
}

/** Roots first, each followed by those who wait behind it; every node once. */
export function tree(graph: GraphDrawing): TreeRow[] {
  const byId = new Map(graph.nodes.map((node) => [node.id, node]))
  const behind = new Map<string, string[]>()
  for (const [source, target] of graph.edges) push(behind, target, source)
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

function push(map: Map<string, string[]>, key: string, value: string) {
  const names = map.get(key)
  if (names) names.push(value)
  else map.set(key, [value])
}
