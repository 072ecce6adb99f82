/** An inline bar for a share, and a sparkline for a table row. */
import '../styles/parts.css'

export function ShareBar({
  value,
  tone = 'accent',
  width = 64,
}: {
  /** 0..1 */
  readonly value: number | null
  readonly tone?: 'accent' | 'waiting' | 'holding' | 'running' | 'idle'
  readonly width?: number | string
}) {
  return (
    <span className="bar" style={{ width }} aria-hidden="true">
      {value !== null && (
        <span
          className={`bar-fill bar-${tone}`}
          style={{ width: `${Math.min(1, Math.max(0, value)) * 100}%` }}
        />
      )}
    </span>
  )
}

/** A sparkline of values in time order; null is a gap. */
export function Sparkline({
  values,
  width = 120,
  height = 24,
  label,
}: {
  readonly values: readonly (number | null)[]
  readonly width?: number
  readonly height?: number
  readonly label: string
}) {
  const runs = layoutSpark(values, width, height)
  return (
    <svg className="spark" width={width} height={height} role="img" aria-label={label}>
      {runs.map((run) => (
        <g key={run.line}>
          <path d={run.area} className="spark-area" />
          <path d={run.line} className="spark-line" />
        </g>
      ))}
    </svg>
  )
}

/** Compute the SVG paths of the runs between gaps; the baseline is zero, y grows downwards. */
export function layoutSpark(
  values: readonly (number | null)[],
  width: number,
  height: number,
): { readonly line: string; readonly area: string }[] {
  const top = Math.max(0, ...values.map((value) => value ?? 0))
  const x = (index: number) =>
    round(values.length < 2 ? 0 : (index / (values.length - 1)) * (width - 1) + 0.5)
  const y = (value: number) => round(height - 1 - (top ? (value / top) * (height - 3) : 0))
  const runs: { line: string; area: string }[] = []
  let points: [number, number][] = []
  const close = () => {
    const first = points[0]
    const last = points.at(-1)
    if (first && last) {
      const line = `M${points.map(([a, b]) => `${a} ${b}`).join('L')}`
      runs.push({ line, area: `${line}L${last[0]} ${height}L${first[0]} ${height}Z` })
    }
    points = []
  }
  values.forEach((value, index) => {
    if (value === null) close()
    else points.push([x(index), y(value)])
  })
  close()
  return runs
}

const round = (value: number) => Math.round(value * 10) / 10
