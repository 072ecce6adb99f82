/** The graph as a nested list in words, for those who do not see it: who blocks whom, and in which role. */
import { useMemo } from 'react'
import { treeRows } from '../tree/treeRows'
import { factsOf, type QueuePlace, roleOf } from '../nodeText'
import type { WaitGraph } from '../waitGraph'

/** Of larger graphs the tree and the table have the rest. */
const MOST_ROWS = 120
const NOTHING_CLOSED: ReadonlySet<string> = new Set()

export function GraphText({
  graph,
  queue,
}: {
  readonly graph: WaitGraph
  readonly queue: ReadonlyMap<string, QueuePlace>
}) {
  const rows = useMemo(() => treeRows(graph, NOTHING_CLOSED), [graph])
  return (
    <ul className="visually-hidden" aria-label="The wait graph as a list" data-testid="wait-list">
      {rows.slice(0, MOST_ROWS).map(({ key, node, level, again }) => (
        <li key={key}>
          {`Level ${level}: ${node.label}, ${roleOf(node, queue.get(node.id))}`}
          {node.blocks_total > 0 && `, blocks ${node.blocks_total}`}
          {again
            ? ', listed above'
            : [node.shape, ...factsOf(node)].map((fact) => fact && `, ${fact}`)}
        </li>
      ))}
      {rows.length > MOST_ROWS && (
        <li>{rows.length - MOST_ROWS} more rows: choose Tree or Table.</li>
      )}
    </ul>
  )
}
