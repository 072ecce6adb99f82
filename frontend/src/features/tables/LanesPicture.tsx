/** The drawing of a deadlock: one lane per transaction, its locks in order, arrows to who is in the way. */
import { useId } from 'react'
import type { DeadlockOut } from '@/api/schema'

const LANE_W = 300
const GAP = 110
const HEAD_H = 78
const STEP_H = 74
const STEP_GAP = 24
const MARGIN = 16
/** Characters of a line of statement or place, and of a line that names a session or lock. */
const LINE = 38
const NAME = 44
/** Between two arrows that run around lanes. */
const TRACK = 10

type Lane = DeadlockOut['lanes'][number]
type Wait = DeadlockOut['waits'][number]

export function LanesPicture({
  deadlock,
  label,
}: {
  readonly deadlock: DeadlockOut
  readonly label: string
}) {
  const arrow = useId()
  const { lanes } = deadlock
  const at = new Map(lanes.map((lane, index) => [lane.number, index]))
  const apart = (wait: Wait) => (at.get(wait.holder) ?? 0) - (at.get(wait.waiter) ?? 0)
  const waits = deadlock.waits.filter((wait) => at.has(wait.waiter) && at.has(wait.holder))
  // Arrows over further than the next lane run below all lanes, each on a track of its own.
  const around = waits.filter((wait) => Math.abs(apart(wait)) !== 1)
  const most = Math.max(1, ...lanes.map((lane) => lane.steps.length))
  const margin = MARGIN + (around.length > 0 ? 24 + TRACK * around.length : 0)
  const width = lanes.length * LANE_W + Math.max(0, lanes.length - 1) * GAP + 2 * margin
  const bottom = MARGIN + HEAD_H + most * (STEP_H + STEP_GAP)
  const height = bottom + MARGIN + TRACK * around.length
  const left = (number: number) => margin + (at.get(number) ?? 0) * (LANE_W + GAP)
  const top = (step: number) => MARGIN + HEAD_H + STEP_GAP + step * (STEP_H + STEP_GAP)
  const path = (wait: Wait) => {
    const steps = lanes[at.get(wait.waiter) ?? 0]?.steps.length ?? 1
    const y1 = top(Math.max(0, steps - 1)) + STEP_H / 2
    const y2 = top(wait.holder_step) + STEP_H / 2
    const isRight = apart(wait) > 0
    const track = around.indexOf(wait)
    if (track < 0) {
      const x1 = left(wait.waiter) + (isRight ? LANE_W : 0)
      const x2 = left(wait.holder) + (isRight ? 0 : LANE_W)
      const bend = (x2 - x1) / 2
      return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`
    }
    // To the far side of the holder, where no arrow between neighbours arrives.
    const x1 = left(wait.waiter) + LANE_W / 2
    const x2 = left(wait.holder) + (isRight ? LANE_W : 0)
    const gutter = x2 + (isRight ? 1 : -1) * (24 + TRACK * track)
    return `M${x1} ${y1 + STEP_H / 2}V${bottom + TRACK * (track + 1)}H${gutter}V${y2}H${x2}`
  }
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
        <LaneBox key={lane.number} lane={lane} x={left(lane.number)} top={top} />
      ))}
      {waits.map((wait) => (
        <path
          key={wait.waiter}
          d={path(wait)}
          className={wait.inferred ? 'cycle-edge cycle-inferred' : 'cycle-edge'}
          markerEnd={`url(#${arrow})`}
        >
          <title>
            ({wait.waiter}) waits for ({wait.holder})
            {wait.inferred && ', inferred from the order of the dump'}
          </title>
        </path>
      ))}
    </svg>
  )
}

function LaneBox({
  lane,
  x,
  top,
}: {
  readonly lane: Lane
  readonly x: number
  readonly top: (step: number) => number
}) {
  const who = [
    `(${lane.number})`,
    lane.session_id !== null && `session ${lane.session_id}`,
    lane.user && cut(lane.user, lane.victim ? 8 : 22),
    lane.victim && '✕ victim',
  ].filter(Boolean)
  return (
    <g>
      <title>{lane.shape ?? 'no statement printed'}</title>
      <line
        x1={x + LANE_W / 2}
        x2={x + LANE_W / 2}
        y1={MARGIN + HEAD_H}
        y2={top(Math.max(0, lane.steps.length - 1))}
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
      <Two text={lane.shape ?? 'no statement printed'} x={x + 12} y={MARGIN + 44} />
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
          <text x={x + 12} y={top(index) + 22} className="cycle-name">
            {cut(`${step.state}: ${step.lock}`, NAME)}
          </text>
          <Two text={step.where} x={x + 12} y={top(index) + 42} />
        </g>
      ))}
    </g>
  )
}

/** A text in at most two lines. */
function Two({ text, x, y }: { readonly text: string; readonly x: number; readonly y: number }) {
  return (
    <text x={x} y={y} className="cycle-sql">
      {twoLines(text, LINE).map((line, index) => (
        <tspan key={index} x={x} y={y + index * 16}>
          {line}
        </tspan>
      ))}
    </text>
  )
}

/** Break a text into at most two lines, at a space if there is one; the second may be cut off. */
function twoLines(text: string, most: number): string[] {
  const whole = text.trim()
  if (whole.length <= most) return [whole]
  const space = whole.lastIndexOf(' ', most)
  const at = space > most / 3 ? space : most
  return [whole.slice(0, at), cut(whole.slice(at).trim(), most)]
}

const cut = (text: string, most: number) =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text
