/** The wait graph as the API sends it, and walks along its edges. */
import type { components } from '@/api/schema'

export type WaitGraph = components['schemas']['WaitGraph']
export type WaitNode = components['schemas']['WaitNode']
export type WaitEdge = components['schemas']['WaitEdge']

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

export function neighboursOf(edges: readonly WaitEdge[]): Map<string, string[]> {
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

/** What a node waits for, who has that, and so on to the root: each once, the nearest first. */
export function blockersOf(
  edges: readonly Pick<WaitEdge, 'source' | 'target'>[],
  from: string,
): string[] {
  const ahead = new Map<string, string[]>()
  for (const { source, target } of edges) {
    const known = ahead.get(source)
    if (known) known.push(target)
    else ahead.set(source, [target])
  }
  const found = new Set([from])
  for (const id of found) for (const next of ahead.get(id) ?? []) found.add(next)
  found.delete(from)
  return [...found]
}
