/** The layered graph: roots at the left, waiters to the right; boxes are buttons, edges are curves. */
import { useEffect, useMemo, useRef, useState } from 'react'
import { useWidth } from '@/charts/useWidth'
import { cx } from '@/ui/cx'
import { connected, layoutWaitGraph, type WaitGraph } from './layout'
import { GLYPH, sentence } from './words'

type Props = { graph: WaitGraph; selected: string; onSelect: (id: string) => void }

/** From this width on there is room for the verb beside the count. */
const ROOMY = 300

export function GraphView({ graph, selected, onSelect }: Props) {
  const [frame, width] = useWidth<HTMLDivElement>(900)
  const canvas = useRef<HTMLDivElement>(null)
  const [hovered, setHovered] = useState<string | null>(null)
  const layout = useMemo(() => layoutWaitGraph(graph, width - 16), [graph, width])
  const focus = hovered ?? selected
  const near = useMemo(() => (focus ? connected(graph.edges, focus) : null), [graph.edges, focus])
  const cyclic = useMemo(() => new Set(graph.cycles.flat()), [graph.cycles])
  // What is selected stays in sight, also when the inspector takes its share of the width.
  useEffect(() => {
    if (!selected) return
    const boxes = canvas.current?.querySelectorAll<HTMLElement>('[data-node-id]') ?? []
    const box = [...boxes].find((one) => one.dataset['nodeId'] === selected)
    box?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [selected, width])
  return (
    <div className="graph scroll" ref={frame}>
      <div
        ref={canvas}
        className="graph-canvas"
        style={{ width: layout.width, height: layout.height }}
      >
        <svg width={layout.width} height={layout.height} aria-hidden="true">
          {layout.edges.map(({ edge, path, strokeWidth }) => (
            <path
              key={`${edge.source}>${edge.target}`}
              d={path}
              className={cx(
                'graph-edge',
                edge.kind === 'held_by' && 'held',
                edge.inferred && 'inferred',
                near && !near.has(edge.source) && 'far',
              )}
              strokeWidth={strokeWidth}
            />
          ))}
        </svg>
        {layout.nodes.map(({ node, x, y, width: boxWidth, height, weight }) => (
          <button
            key={node.id}
            type="button"
            data-testid="wait-node"
            data-node-id={node.id}
            data-root={node.root || undefined}
            className={cx(
              'graph-node',
              `is-${node.kind}`,
              node.root && 'root',
              node.waiting && 'waiting',
              node.inferred && 'inferred',
              cyclic.has(node.id) && 'cycle',
              node.id === selected && 'selected',
              near && !near.has(node.id) && 'far',
            )}
            style={{ left: x, top: y, width: boxWidth, height }}
            title={`${node.label}${node.detail ? `: ${node.detail}` : ''}`}
            aria-label={sentence(node)}
            aria-pressed={node.id === selected}
            onClick={() => onSelect(node.id)}
            onPointerEnter={() => setHovered(node.id)}
            onPointerLeave={() => setHovered(null)}
          >
            {weight > 0 && <span className="graph-weight" style={{ width: `${weight * 100}%` }} />}
            <span className="graph-glyph" aria-hidden="true">
              {cyclic.has(node.id) ? '↻' : GLYPH[node.kind]}
            </span>
            <span className="graph-label mono ellipsis">{node.label}</span>
            {node.detail && <span className="graph-detail ellipsis">{node.detail}</span>}
            {node.members > 1 && !node.label.startsWith(`${node.members} `) && (
              <span className="graph-members">×{node.members}</span>
            )}
            {node.blocks_total > 0 && (
              <span className="graph-count">
                {node.root && boxWidth >= ROOMY && <span className="graph-verb">blocks </span>}
                {node.blocks_total}
              </span>
            )}
          </button>
        ))}
      </div>
    </div>
  )
}
