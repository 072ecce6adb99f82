/** Where a key leads from a node of the graph: along its column, or along the edges. */
import type { GraphLayout, PlacedNode } from './layout'

/** The id to go to; null: the key does nothing here. */
export function stepGraph(layout: GraphLayout, from: string, key: string): string | null {
  const at = placeInLayout(layout, from)
  if (!at) return layout.nodes[0]?.node.id ?? null
  const { column, row } = at
  const here = layout.columns[column] ?? []
  switch (key) {
    case 'ArrowDown':
    case 'j':
      return here[row + 1]?.node.id ?? null
    case 'ArrowUp':
    case 'k':
      return here[row - 1]?.node.id ?? null
    case 'Home':
      return here[0]?.node.id ?? null
    case 'End':
      return here.at(-1)?.node.id ?? null
    case 'ArrowLeft':
    case 'ArrowRight':
      return stepSideways(layout, from, column, key === 'ArrowLeft' ? -1 : 1)
    default:
      return null
  }
}

/** The topmost neighbour in a column further left or right; without one, the nearest column's first. */
function stepSideways(
  layout: GraphLayout,
  from: string,
  column: number,
  way: 1 | -1,
): string | null {
  const columnOf = new Map<string, number>()
  layout.columns.forEach((nodes, index) => {
    for (const { node } of nodes) columnOf.set(node.id, index)
  })
  const near = new Set<string>()
  for (const { edge } of layout.edges) {
    if (edge.source === from) near.add(edge.target)
    if (edge.target === from) near.add(edge.source)
  }
  let best: PlacedNode | null = null
  for (const item of layout.nodes) {
    const there = columnOf.get(item.node.id) ?? column
    if (!near.has(item.node.id) || Math.sign(there - column) !== way) continue
    if (!best || item.y < best.y) best = item
  }
  return best?.node.id ?? layout.columns[column + way]?.[0]?.node.id ?? null
}

function placeInLayout(layout: GraphLayout, id: string): { column: number; row: number } | null {
  for (const [column, nodes] of layout.columns.entries()) {
    const row = nodes.findIndex((node) => node.node.id === id)
    if (row >= 0) return { column, row }
  }
  return null
}
