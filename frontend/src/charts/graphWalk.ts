/**
 * Walks along the edges of a wait graph, by node id; source waits for target. Layout and drawing are
 * elsewhere: the screen places boxes, the viewer of report files uses the picture of the report.
 */

type Edge = { readonly source: string; readonly target: string }

/** Group the second ids of pairs by the first. */
export function groupIds(
  pairs: Iterable<readonly [key: string, value: string]>,
): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const [key, value] of pairs) {
    const known = groups.get(key)
    if (known) known.push(value)
    else groups.set(key, [value])
  }
  return groups
}

/** The nodes at the other ends of each node's edges, in either direction. */
function neighboursOf(edges: readonly Edge[]): Map<string, string[]> {
  return groupIds(
    edges.flatMap(({ source, target }) => [[source, target] as const, [target, source] as const]),
  )
}

/** Everything that a path of edges in any direction joins to a node, and the node. */
export function connected(edges: readonly Edge[], id: string): Set<string> {
  return reach(neighboursOf(edges), id)
}

/** What a node waits for, its blockers, and so on to the root: each once, the nearest first. */
export function blockersOf(edges: readonly Edge[], from: string): string[] {
  const blockers = groupIds(edges.map(({ source, target }) => [source, target]))
  return [...reach(blockers, from)].slice(1)
}

/** What waits for a node, directly or behind others: each once, the nearest first. */
export function waitersOf(edges: readonly Edge[], from: string): string[] {
  const waiters = groupIds(edges.map(({ source, target }) => [target, source]))
  return [...reach(waiters, from)].slice(1)
}

/** The node and all that it leads to, breadth first. */
function reach(next: ReadonlyMap<string, readonly string[]>, from: string): Set<string> {
  const reached = new Set([from])
  // The set grows while it is walked.
  for (const id of reached) for (const other of next.get(id) ?? []) reached.add(other)
  return reached
}
