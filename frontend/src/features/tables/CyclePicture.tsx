/** The drawing of a deadlock: transactions with their statements, locks on the edges between them. */
import { useId } from 'react'
import type { DeadlockOut } from '@/api/schema'
import { type CycleNode, layoutCycle, lockWords, NODE_H, NODE_W } from './cycle'

const CHARS = 36

export function CyclePicture({
  deadlock,
  label,
}: {
  readonly deadlock: DeadlockOut
  readonly label: string
}) {
  const arrow = useId()
  const { width, height, nodes, edges } = layoutCycle(deadlock)
  const locks = new Map(deadlock.edges.map((edge) => [`${edge.waiter}:${edge.holder}`, edge]))
  return (
    <svg
      className="cycle-picture"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={label}
    >
      <defs>
        <marker
          id={arrow}
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="8"
          markerHeight="8"
          orient="auto"
        >
          <path d="M0 0L8 4L0 8Z" className="cycle-arrow" />
        </marker>
      </defs>
      {edges.map((edge) => {
        const lock = locks.get(`${edge.waiter}:${edge.holder}`)
        const [mode, where] = lockWords(lock?.lock ?? '')
        const held = lock?.held ? lockWords(lock.held)[0] : null
        return (
          <g key={`${edge.waiter}:${edge.holder}`}>
            <path
              d={edge.path}
              className={edge.inferred ? 'cycle-edge cycle-inferred' : 'cycle-edge'}
              markerEnd={`url(#${arrow})`}
            />
            <text x={edge.labelX} y={edge.labelY - 11} className="cycle-lock">
              <tspan x={edge.labelX}>
                ({edge.waiter}) waits: {cut(mode, 30)}
              </tspan>
              <tspan x={edge.labelX} dy="15" className="cycle-where">
                {cut(where, 40)}
              </tspan>
              <tspan x={edge.labelX} dy="15">
                ({edge.holder}) {held ? `holds: ${cut(held, 30)}` : 'holds it: not printed'}
              </tspan>
            </text>
          </g>
        )
      })}
      {nodes.map((node) => (
        <Node key={node.number} node={node} deadlock={deadlock} />
      ))}
    </svg>
  )
}

function Node({ node, deadlock }: { readonly node: CycleNode; readonly deadlock: DeadlockOut }) {
  const transaction = deadlock.transactions.find((trx) => trx.number === node.number)
  if (!transaction) return null
  const x = node.x - NODE_W / 2
  const y = node.y - NODE_H / 2
  const [first = '', second = ''] = wrap(transaction.shape ?? 'no statement printed')
  return (
    <g>
      <title>{transaction.query ?? 'no statement printed'}</title>
      <rect
        x={x}
        y={y}
        width={NODE_W}
        height={NODE_H}
        rx={4}
        className={transaction.victim ? 'cycle-node cycle-victim' : 'cycle-node'}
      />
      <text x={x + 12} y={y + 20} className="cycle-name">
        ({transaction.number}) trx {transaction.trx_id}
        {transaction.session_id !== null && ` · session ${transaction.session_id}`}
      </text>
      <text x={x + 12} y={y + 40} className="cycle-sql">
        <tspan x={x + 12}>{first}</tspan>
        <tspan x={x + 12} dy="15">
          {second}
        </tspan>
      </text>
      {transaction.victim && (
        <text x={x + NODE_W - 12} y={y + NODE_H + 16} className="cycle-rolled">
          ✕ victim: rolled back
        </text>
      )}
    </g>
  )
}

const cut = (text: string, most: number) =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text

/** Wrap a statement into at most two lines. */
function wrap(sql: string): readonly string[] {
  if (sql.length <= CHARS) return [sql]
  const at = sql.lastIndexOf(' ', CHARS)
  const split = at > 10 ? at : CHARS
  return [sql.slice(0, split), cut(sql.slice(split).trim(), CHARS)]
}
