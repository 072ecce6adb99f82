/** Root blockers, most blocked first, with how long each has been one. */
import { rollup } from 'd3-array'
import { useState } from 'react'
import type { components } from '@/api/schema'
import { formatNumber, formatShare } from '@/format'
import { ShareBar } from '@/ui/display/Bar'
import { cx } from '@/ui/controls/cx'
import { Term } from '@/ui/display/Term'
import type { WaitGraph } from './waitGraph'
import {
  deadlocksOf,
  directly,
  type NodePersistence,
  persistenceOf,
  type Persistence,
  persistenceText,
} from './nodeText'

type Props = {
  readonly graph: WaitGraph
  readonly selected: string
  readonly onSelect: (id: string) => void
  readonly lasting: ReadonlyMap<string, NodePersistence>
  readonly persistence: Persistence | undefined
  /** The other moments are still being counted. */
  readonly counting: boolean
  /** Where most of the stall's blocked time ends; null: not measured. */
  readonly stallRoot: Root | null
  readonly onStallRoot: (root: Root) => void
}

/** So many roots have room beside each other; waits.css hides the others until they are wanted. */
const IN_A_LINE = 3

type Root = components['schemas']['RootDoc']

export function Roots(props: Props) {
  const { graph, selected, onSelect, lasting, persistence, counting } = props
  const { stallRoot, onStallRoot } = props
  const [isOpen, setOpen] = useState(false)
  const circles = deadlocksOf(graph)
  const count = circles.length + graph.roots.length
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]))
  const namesakes = rollup(
    graph.roots,
    (roots) => roots.length,
    (root) => root.label,
  )
  return (
    <nav
      className={cx('roots scroll', isOpen && 'roots-all')}
      aria-label="Root blockers"
      aria-busy={counting}
    >
      <h2>
        <Term of="root blocker">Root blockers</Term>
      </h2>
      {stallRoot && graph.at !== null && (
        <p className="roots-stall">
          <span className="muted">Over the whole stall</span>
          <button
            type="button"
            className="linklike mono"
            data-testid="stall-root"
            title={`${stallRoot.label}: show the moment at which it blocks most sessions`}
            onClick={() => onStallRoot(stallRoot)}
          >
            {stallRoot.label}
          </button>
          <span className="muted">{formatShare(stallRoot.share)} of session time</span>
        </p>
      )}
      {graph.roots.length === 0 && (
        <p className="muted">{graph.cycles.length ? 'None: the waits form a cycle.' : 'None.'}</p>
      )}
      <ol>
        {circles.map(({ first, threads, behind, names }) => (
          <li key={first}>
            <button
              type="button"
              data-testid="wait-circle"
              className={cx('root-row', first === selected && 'selected')}
              onClick={() => onSelect(first)}
            >
              <span className="root-name">
                <span aria-hidden="true">↻</span> deadlock of {threads}
              </span>
              <span className="root-numbers">
                <ShareBar
                  value={graph.waiters ? (threads + behind) / graph.waiters : 0}
                  tone="holding"
                  width={48}
                />
                <strong>{threads + behind}</strong>
                <span className="muted">in it{behind > 0 && `, ${behind} of them behind it`}</span>
              </span>
              <span className="muted">{names}</span>
            </button>
          </li>
        ))}
        {graph.roots.map((root) => {
          const node = nodes.get(root.node)
          const stuck = node ? persistenceOf(node, lasting) : (lasting.get(root.node) ?? null)
          return (
            <li key={root.node}>
              <button
                type="button"
                data-testid="wait-root"
                className={cx('root-row', root.node === selected && 'selected')}
                onClick={() => onSelect(root.node)}
              >
                <span className="root-top">
                  <span className="root-name mono">
                    {root.label}
                    {(namesakes.get(root.label) ?? 0) > 1 && node?.detail && (
                      <span className="muted"> {node.detail}</span>
                    )}
                  </span>
                  <span className="root-numbers">
                    <ShareBar
                      value={graph.waiters ? root.blocks_total / graph.waiters : 0}
                      tone="holding"
                      width={48}
                    />
                    {root.blocks_total > 0 ? (
                      <>
                        <strong>{root.blocks_total}</strong>
                        <span className="muted">behind it{directly(root)}</span>
                      </>
                    ) : (
                      <span className="muted">no session behind it</span>
                    )}
                  </span>
                </span>
                {counting && <span className="muted">in other moments: counting…</span>}
                {stuck && persistence && persistence.of > 1 && (
                  <span className="root-stuck" data-testid="root-stuck">
                    {persistenceText(stuck, persistence)}
                    {stuck.blocked_thread_s > 0 && (
                      <span className="root-cost muted">
                        , {formatNumber(stuck.blocked_thread_s, 0)} thread-seconds blocked
                      </span>
                    )}
                  </span>
                )}
                <span className="root-more">
                  {root.longest_s !== null && root.longest_s >= 1 && (
                    <span>waited for at least {formatNumber(root.longest_s, 0)} s</span>
                  )}
                  <span className="muted">{root.why}</span>
                  {root.inferred && <span className="root-inferred">inferred</span>}
                </span>
              </button>
            </li>
          )
        })}
      </ol>
      {count > IN_A_LINE && (
        <button
          type="button"
          className="roots-more linklike"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? 'Fewer' : `All ${count}`}
        </button>
      )}
    </nav>
  )
}
