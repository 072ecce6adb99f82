/** What the boxes, glyphs, lines and numbers of the graph mean: an entry for each that it shows. */
import { useMemo } from 'react'
import { cx } from '@/ui/controls/cx'
import { DASH, edgeKind, GLYPH, KIND, MARK, type QueuePlace } from '../nodeText'
import type { WaitGraph, WaitNode } from '../waitGraph'

type Props = {
  readonly graph: WaitGraph
  readonly kindOf: ReadonlyMap<string, WaitNode['of']>
  readonly queue: ReadonlyMap<string, QueuePlace>
  readonly dense: boolean
  /** Whether the layout has an edge with an arrow. */
  readonly hasArrows: boolean
  /** Number of moments over which persistence is counted; 0 or 1: it is not shown. */
  readonly moments: number
}

const BOXES: readonly (readonly [
  name: string,
  words: string,
  shown: (node: WaitNode) => boolean,
])[] = [
  ['root', 'root: blocks others, is not blocked', (node) => node.root],
  ['both', 'waits and blocks', (node) => node.waiting && node.blocks_total > 0 && !node.root],
  ['waiting', 'waits', (node) => node.waiting && node.blocks_total === 0],
  ['inferred', 'inferred', (node) => node.inferred],
]

export function Legend({ graph, kindOf, queue, dense, hasArrows, moments }: Props) {
  const lines = useMemo(
    () => new Set<string>(graph.edges.map((edge) => edgeKind(edge, kindOf))),
    [graph.edges, kindOf],
  )
  const glyphs = useMemo(
    () => [...new Set([...graph.nodes.map((node) => node.kind), ...lines])],
    [graph.nodes, lines],
  )
  const has = (shown: (node: WaitNode) => boolean) => graph.nodes.some(shown)
  return (
    <ul className="graph-legend" aria-label="Legend">
      {BOXES.filter(([, , shown]) => has(shown)).map(([name, words]) => (
        <li key={name} className="graph-key">
          <span className={cx('graph-swatch', name)} aria-hidden="true" />
          {words}
        </li>
      ))}
      {graph.cycles.length > 0 && (
        <li className="graph-key">
          <span className="graph-swatch cycle" aria-hidden="true" />↻ deadlock
        </li>
      )}
      {glyphs.map((kind) => (
        <li key={kind} className="graph-key">
          <span aria-hidden="true">{GLYPH[kind]}</span>
          {lines.has(kind) && <Line dash={DASH[kind] ?? ''} />}
          {kind === 'group' ? 'group: Enter opens it' : KIND[kind]}
        </li>
      ))}
      {graph.edges.some((edge) => edge.kind === 'held_by') && (
        <li className="graph-key">
          <Line dash="" held />
          held by
        </li>
      )}
      {hasArrows && (
        <li className="graph-key">
          <span aria-hidden="true">→</span>
          waits for a box that is not at its left
        </li>
      )}
      {queue.size > 0 && (
        <li className="graph-key">
          <span className="graph-queue">1</span>holds the lock,
          <span className="graph-queue">2</span>is next,
          <span className="graph-queue">3</span>queue behind it
        </li>
      )}
      <li className="graph-key">
        <span className="graph-count">160</span>
        {dense ? 'sessions blocked, also the bar' : 'sessions blocked, also the height of a box'}
      </li>
      {moments > 1 && (
        <li className="graph-key">
          <span className="mono">n/{moments}</span>seen in n of {moments} moments
        </li>
      )}
      {graph.against !== null &&
        (['added', 'gone', 'kept'] as const).map((mark) => (
          <li key={mark} className="graph-key">
            <span className={cx('mark', `mark-${mark}`)}>{MARK[mark].sign}</span>
            {MARK[mark].word}
          </li>
        ))}
    </ul>
  )
}

function Line({ dash, held = false }: { readonly dash: string; readonly held?: boolean }) {
  return (
    <svg width="26" height="8" aria-hidden="true" className={held ? 'held' : undefined}>
      <line x1="0" x2="26" y1="4" y2="4" strokeDasharray={dash} />
    </svg>
  )
}
