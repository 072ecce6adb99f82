/** Root blockers, most blocked first. */
import { ShareBar } from '@/ui/Bar'
import { cx } from '@/ui/cx'
import type { WaitGraph } from './layout'

type Props = { graph: WaitGraph; selected: string; onSelect: (id: string) => void }

export function Roots({ graph, selected, onSelect }: Props) {
  return (
    <nav className="roots scroll" aria-label="Root blockers">
      <h3>Root blockers</h3>
      {graph.roots.length === 0 && (
        <p className="muted">{graph.cycles.length ? 'None: they wait in a circle.' : 'None.'}</p>
      )}
      <ol>
        {graph.roots.map((root) => (
          <li key={root.node}>
            <button
              type="button"
              data-testid="wait-root"
              className={cx('root-row', root.node === selected && 'selected')}
              onClick={() => onSelect(root.node)}
            >
              <span className="root-name mono">{root.label}</span>
              <span className="root-numbers">
                <ShareBar
                  value={graph.waiters ? root.blocks_total / graph.waiters : 0}
                  tone="holding"
                  width={48}
                />
                <strong>{root.blocks_total}</strong>
                <span className="muted">
                  behind it
                  {root.blocks_direct !== root.blocks_total && `, ${root.blocks_direct} directly`}
                </span>
              </span>
              <span className="muted">{root.why}</span>
              {root.inferred && <span className="root-inferred">inferred</span>}
            </button>
          </li>
        ))}
      </ol>
    </nav>
  )
}
