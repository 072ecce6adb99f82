/** The drawing of a deadlock: one lane per transaction, its locks in order, arrows to who is in the way. */
import { useId } from 'react'
import type { DeadlockOut } from '@/api/schema'

const LANE_W = 300
const GAP = 110
const HEAD_H = 64
const STEP_H = 58
const STEP_GAP = 26
const MARGIN = 16

type Lane = DeadlockOut['lanes'][number]

export function LanesPicture({
  deadlock,
  label,
}: {
  readonly deadlock: DeadlockOut
  readonly label: string
}) {
  const arrow = useId()
  const { lanes, waits } = deadlock
  const most = Math.max(1, ...lanes.map((lane) => lane.steps.length))
  const width = lanes.length * LANE_W + Math.max(0, lanes.length - 1) * GAP + 2 * MARGIN
  const height = HEAD_H + most * (STEP_H + STEP_GAP) + 2 * MARGIN + 20
  const left = (number: number) =>
    MARGIN + lanes.findIndex((lane) => lane.number === number) * (LANE_W + GAP)
  const top = (step: number) => MARGIN + HEAD_H + 20 + step * (STEP_H + STEP_GAP)
  const of = new Map(lanes.map((lane) => [lane.number, lane]))
  return (
    <svg
      className="cycle-picture"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={label}
    >
      <title>{deadlock.kind_label}</title>
      <desc>{label}</desc>
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
      {lanes.map((lane) => (
        <LaneBox key={lane.number} lane={lane} x={left(lane.number)} top={top} height={height} />
      ))}
      {waits.map((wait) => {
        const waiter = of.get(wait.waiter)
        if (!waiter || !of.has(wait.holder)) return null
        const right = left(wait.holder) > left(wait.waiter)
        const x1 = left(wait.waiter) + (right ? LANE_W : 0)
        const x2 = left(wait.holder) + (right ? 0 : LANE_W)
        const y1 = top(waiter.steps.length - 1) + STEP_H / 2
        const y2 = top(wait.holder_step) + STEP_H / 2
        const bend = (x2 - x1) / 2
        const near = Math.abs(left(wait.holder) - left(wait.waiter)) <= LANE_W + GAP
        // Around the lanes between them: below all, then up the gap beside the holder.
        const around = `M${left(wait.waiter) + LANE_W / 2} ${y1 + STEP_H / 2}V${height - 8}H${x2 + (right ? -30 : 30)}V${y2}H${x2}`
        return (
          <path
            key={wait.waiter}
            d={near ? `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}` : around}
            className={wait.inferred ? 'cycle-edge cycle-inferred' : 'cycle-edge'}
            markerEnd={`url(#${arrow})`}
          >
            <title>
              ({wait.waiter}) waits for ({wait.holder})
              {wait.inferred && ', inferred from the order of the dump'}
            </title>
          </path>
        )
      })}
    </svg>
  )
}

function LaneBox({
  lane,
  x,
  top,
  height,
}: {
  readonly lane: Lane
  readonly x: number
  readonly top: (step: number) => number
  readonly height: number
}) {
  const who = [
    `(${lane.number})`,
    lane.session_id !== null && `session ${lane.session_id}`,
    lane.user,
    lane.victim && '✕ victim: rolled back',
  ].filter(Boolean)
  return (
    <g>
      <title>{lane.shape ?? 'no statement printed'}</title>
      <line
        x1={x + LANE_W / 2}
        x2={x + LANE_W / 2}
        y1={MARGIN + HEAD_H}
        y2={height - MARGIN}
        className="cycle-lane"
      />
      <rect
        x={x}
        y={MARGIN}
        width={LANE_W}
        height={HEAD_H}
        rx={4}
        className={lane.victim ? 'cycle-node cycle-victim' : 'cycle-node'}
      />
      <text x={x + 12} y={MARGIN + 22} className="cycle-name">
        {who.join(' · ')}
      </text>
      <text x={x + 12} y={MARGIN + 44} className="cycle-sql">
        {cut(lane.shape ?? 'no statement printed', 40)}
      </text>
      {lane.steps.map((step, index) => (
        <g key={index}>
          <title>{step.printed ?? `${step.lock} ${step.where}`}</title>
          <rect
            x={x}
            y={top(index)}
            width={LANE_W}
            height={STEP_H}
            rx={4}
            className={step.printed === null ? 'cycle-node cycle-inferred' : 'cycle-node'}
          />
          <text x={x + 12} y={top(index) + 24} className="cycle-name">
            {step.state}: {cut(step.lock, 34)}
          </text>
          <text x={x + 12} y={top(index) + 44} className="cycle-sql">
            {cut(step.where, 42)}
          </text>
        </g>
      ))}
    </g>
  )
}

const cut = (text: string, most: number) =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text
