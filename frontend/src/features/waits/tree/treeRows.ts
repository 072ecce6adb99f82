/**
 * The wait graph as rows of a tree: roots first, and what waits behind each, deeper.
 *
 * A node with several blockers is expanded where it comes first and only named elsewhere, so that
 * the rows stay linear in nodes and edges and a cycle ends.
 */
import type { WaitGraph, WaitNode } from '../waitGraph'

export type TreeRow = {
  /** Unique in the tree, also where a node comes again. */
  readonly key: string
  readonly node: WaitNode
  /** From 1, as aria-level counts. */
  readonly level: number
  /** Index of the row above it in the tree; null for a root. */
  readonly parent: number | null
  readonly position: number
  readonly siblings: number
  /** How many wait directly behind it; 0 where it comes again. */
  readonly behind: number
  readonly expanded: boolean
  /** Shown in full further up. */
  readonly again: boolean
}

type TreeStep = { readonly move: number } | { readonly toggle: string } | null

export function treeRows(
  graph: Pick<WaitGraph, 'nodes' | 'edges'>,
  closed: ReadonlySet<string>,
): TreeRow[] {
  const behind = waitersBehind(graph)
  const rows: TreeRow[] = []
  const seen = new Set<string>()
  const hidden = new Set<string>()
  const walk = (nodes: readonly WaitNode[], level: number, parent: number | null) => {
    nodes.forEach((node, index) => {
      const again = seen.has(node.id)
      seen.add(node.id)
      const children = again ? [] : (behind.get(node.id) ?? [])
      const expanded = children.length > 0 && !closed.has(node.id)
      const row = rows.length
      rows.push({
        key: again ? `${node.id}@${row}` : node.id,
        node,
        level,
        parent,
        position: index + 1,
        siblings: nodes.length,
        behind: children.length,
        expanded,
        again,
      })
      if (expanded) walk(children, level + 1, row)
      else for (const child of children) hide(child, behind, hidden)
    })
  }
  const roots = graph.nodes.filter((node) => node.depth === 0)
  walk(roots, 1, null)
  // A cycle may have no node of depth 0: its members are listed with the roots.
  for (const node of graph.nodes) {
    if (!seen.has(node.id) && !hidden.has(node.id)) walk([node], 1, null)
  }
  return rows
}

/** What a key does in the tree, as the ARIA practices have it; null: nothing. */
export function stepTree(rows: readonly TreeRow[], at: number, key: string): TreeStep {
  const row = rows[at]
  if (!row) return rows.length ? { move: 0 } : null
  switch (key) {
    case 'ArrowDown':
    case 'j':
      return at + 1 < rows.length ? { move: at + 1 } : null
    case 'ArrowUp':
    case 'k':
      return at > 0 ? { move: at - 1 } : null
    case 'Home':
      return { move: 0 }
    case 'End':
      return { move: rows.length - 1 }
    case 'ArrowRight':
      if (row.behind === 0) return null
      return row.expanded ? { move: at + 1 } : { toggle: row.node.id }
    case 'ArrowLeft':
      if (row.expanded) return { toggle: row.node.id }
      return row.parent === null ? null : { move: row.parent }
    default:
      return null
  }
}

function waitersBehind(graph: Pick<WaitGraph, 'nodes' | 'edges'>): Map<string, WaitNode[]> {
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]))
  const behind = new Map<string, WaitNode[]>()
  for (const edge of graph.edges) {
    const waiter = nodes.get(edge.source)
    if (!waiter) continue
    const known = behind.get(edge.target)
    if (known) known.push(waiter)
    else behind.set(edge.target, [waiter])
  }
  for (const waiters of behind.values()) {
    waiters.sort((a, b) => b.blocks_total - a.blocks_total || b.members - a.members)
  }
  return behind
}

/** Mark what waits behind a closed row, so that it is not taken for a cycle. */
function hide(node: WaitNode, behind: ReadonlyMap<string, WaitNode[]>, hidden: Set<string>) {
  const queue = [node]
  for (let next = queue.pop(); next; next = queue.pop()) {
    if (hidden.has(next.id)) continue
    hidden.add(next.id)
    queue.push(...(behind.get(next.id) ?? []))
  }
}
