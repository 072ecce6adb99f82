/** One lane: name and current value at the left, the line, its extremes at the right. */
import { useMemo } from 'react'
import { layoutLane, pointAt } from '@/charts/lane'
import { iso, type Interval, type TimeScale } from '@/charts/time'
import { formatMeasured, formatRatio } from '@/format'
import { useHover } from '@/state/hover'
import { IconButton } from '@/ui/Button'
import { CloseIcon } from '@/ui/icons'
import { PinButton } from '@/ui/pin'
import { Measured } from '@/ui/Value'
import type { Lane, Series } from './queries'

const HEIGHT = 56

type Props = {
  incidentId: string
  seriesId: string
  series: Series | undefined
  lane: Lane | undefined
  pending: boolean
  range: Interval
  x: TimeScale
  width: number
  onRemove: () => void
}

export function LaneRow(props: Props) {
  const { incidentId, seriesId, series, lane, pending, range, x, width, onRemove } = props
  const shape = useMemo(
    () => (lane ? layoutLane(lane.points, x, { height: HEIGHT, step: lane.of < 40 }) : null),
    // The scale is made anew at each render; what it depends on is the range and the width.
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [lane, range[0], range[1], width],
  )
  const name = series?.name ?? seriesId
  const view = `/incidents/${incidentId}/timeline?${new URLSearchParams({
    series: seriesId,
    from: iso(range[0]),
    to: iso(range[1]),
  }).toString()}`
  return (
    <section className="lane" aria-label={`Lane ${name}`} data-testid={`lane-${name}`}>
      <div className="lane-head">
        <div className="lane-name mono ellipsis" title={series?.meaning ?? seriesId}>
          {name}
        </div>
        <div className="lane-facts">
          <CurrentValue lane={lane} range={range} />
          {series?.labels && <span className="faint ellipsis">{series.labels}</span>}
          {series?.shift?.ratio && (
            <span className="lane-shift" title="Median inside the stall against the median before">
              {formatRatio(series.shift.ratio)}
            </span>
          )}
        </div>
        <div className="lane-tools">
          <PinButton
            incidentId={incidentId}
            pin={{
              kind: 'series',
              title: `${name}${lane && lane.max !== null ? `: up to ${formatMeasured(lane.max)} ${lane.unit ?? ''}` : ''}`,
              locator: {
                series: [seriesId],
                start: iso(range[0]),
                end: iso(range[1]),
                ...(lane?.max != null ? { value: String(lane.max) } : {}),
              },
              view,
            }}
          />
          <IconButton
            size="small"
            label={`Remove the lane ${name}`}
            icon={<CloseIcon />}
            onClick={onRemove}
          />
        </div>
      </div>
      <svg
        className="lane-plot"
        data-pin-picture=""
        width={width}
        height={HEIGHT}
        role="img"
        aria-label={summary(name, lane)}
      >
        <line x1={0} x2={width} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} stroke="var(--line)" />
        {shape ? (
          <>
            {shape.low < 0 && (
              <line x1={0} x2={width} y1={shape.y(0)} y2={shape.y(0)} stroke="var(--grid)" />
            )}
            {shape.band && <path d={shape.band} fill="var(--cat-1)" opacity={0.2} />}
            <path d={shape.line} fill="none" stroke="var(--cat-1)" strokeWidth={1.25} />
            {shape.dots.map((dot) => (
              <circle key={dot.x} cx={dot.x} cy={dot.y} r={1.5} fill="var(--cat-1)" />
            ))}
            <HoverDot lane={lane} range={range} x={x} y={shape.y} />
          </>
        ) : (
          <text x={8} y={HEIGHT / 2 + 4} fontSize={11} fill="var(--text-3)">
            {pending ? '' : 'no data in this window'}
          </text>
        )}
      </svg>
      <div className="lane-ends faint">
        <span>{shape ? formatMeasured(shape.high) : ''}</span>
        {lane?.decimated && (
          <span title={`minimum, maximum and mean of ${lane.of} samples`}>min–max</span>
        )}
        <span>{shape ? formatMeasured(Math.min(0, shape.low)) : ''}</span>
      </div>
    </section>
  )
}

/** How far from the pointer a sample may be to be its value: a fiftieth of the window. */
const reach = (range: Interval) => Math.max(1500, (range[1] - range[0]) / 50)

function CurrentValue({ lane, range }: { lane: Lane | undefined; range: Interval }) {
  const { at } = useHover()
  const point = lane && at !== null ? pointAt(lane.points, at, reach(range)) : null
  if (!lane) return null
  return point ? (
    <span className="lane-value">
      <Measured value={point[3]} unit={lane.unit} />
    </span>
  ) : (
    <span className="faint">
      max <Measured value={lane.max} unit={lane.unit} />
    </span>
  )
}

function HoverDot({
  lane,
  range,
  x,
  y,
}: {
  lane: Lane | undefined
  range: Interval
  x: TimeScale
  y: (v: number) => number
}) {
  const { at } = useHover()
  const point = lane && at !== null ? pointAt(lane.points, at, reach(range)) : null
  if (!point) return null
  return (
    <circle
      cx={x(point[0])}
      cy={y(point[3])}
      r={3}
      fill="var(--bg)"
      stroke="var(--cat-1)"
      strokeWidth={1.5}
    />
  )
}

function summary(name: string, lane: Lane | undefined): string {
  if (!lane || lane.max === null) return `${name}: no data in this window`
  const drawn = lane.decimated ? `, drawn as minimum and maximum of ${lane.of} samples` : ''
  return `${name}: from ${formatMeasured(lane.min)} to ${formatMeasured(lane.max)} ${lane.unit ?? ''}${drawn}`
}
