/** The same graph as nested text: roots, and what waits behind each. */
import type { ReactNode } from 'react'
import { cx } from '@/ui/cx'
import { GLYPH, sentence } from './GraphView'
import type { WaitGraph, WaitNode } from './layout'

type Props = { graph: WaitGraph; selected: string; onSelect: (id: string) => void }

const DEEPEST = 12
const MOST_CHILDREN = 200

export function TreeView({ graph, selected, onSelect }: Props) {
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]))
  const behind = new Map<string, WaitNode[]>()
  for (const edge of graph.edges) {
    const waiter = nodes.get(edge.source)
    if (waiter) behind.set(edge.target, [...(behind.get(edge.target) ?? []), waiter])
  }
  const branch = (node: WaitNode, path: readonly string[]): ReactNode => {
    const children =
      path.length < DEEPEST && !path.includes(node.id) ? (behind.get(node.id) ?? []) : []
    return (
      <li key={node.id}>
        <button
          type="button"
          className={cx('tree-row', node.id === selected && 'selected')}
          onClick={() => onSelect(node.id)}
        >
          <span aria-hidden="true">{GLYPH[node.kind]}</span> {sentence(node)}
        </button>
        {children.length > 0 && (
          <ul>
            {children.slice(0, MOST_CHILDREN).map((child) => branch(child, [...path, node.id]))}
            {children.length > MOST_CHILDREN && (
              <li className="faint">and {children.length - MOST_CHILDREN} more</li>
            )}
          </ul>
        )}
      </li>
    )
  }
  const roots = graph.nodes.filter((node) => node.depth === 0)
  return <ul className="tree scroll">{roots.map((node) => branch(node, []))}</ul>
}
