/** A value of each run of a sweep over its load, with the threshold between two loads shaded. */
import { group } from 'd3-array'
import { scaleLinear } from 'd3-scale'
import { line } from 'd3-shape'
import { useState } from 'react'
import { useWidth } from '@/charts/useWidth'
import { formatNumber } from '@/format'
import { EditableField } from '@/ui/controls/EditableField'
import type { Sweep } from './queries'
import './story.css'

const HEIGHT = 190
const PAD = { left: 64, right: 16, top: 24, bottom: 34 }

type Props = { readonly sweep: Sweep; readonly onOpen: (id: string) => void }

export function SweepChart({ sweep, onOpen }: Props) {
  const [ref, width] = useWidth<HTMLDivElement>()
  const names = [
    ...group(
      sweep.series.flatMap((series) => series.points.flatMap((point) => point.values)),
      (value) => value.name,
    ).keys(),
  ]
  const [chosen, setChosen] = useState('')
  const name = names.includes(chosen) ? chosen : sweep.charted
  const drawn = sweep.series.map((series) => ({
    ...series,
    points: series.points.flatMap((point) => {
      const value = point.values.find((item) => item.name === name)
      return value ? [{ ...point, value }] : []
    }),
  }))
  const points = drawn.flatMap((series) => series.points)
  const loads = sweep.series.flatMap((series) => series.points.map((point) => point.load))
  const x = scaleLinear(
    [Math.min(...loads), Math.max(...loads)],
    [PAD.left, Math.max(PAD.left + 1, width - PAD.right)],
  )
  const y = scaleLinear(
    [
      Math.min(0, ...points.map(({ value }) => value.value)),
      Math.max(...points.map(({ value }) => value.value), 0),
    ],
    [HEIGHT - PAD.bottom, PAD.top],
  ).nice()
  const path = line<(typeof points)[number]>(
    (point) => x(point.load),
    (point) => y(point.value.value),
  )
  return (
    <figure className="story-sweep">
      <figcaption>
        {sweep.series
          .filter((series) => series.text)
          .map((series) => (
            <p key={series.label}>
              {series.label && <span className="muted">{series.label}: </span>}
              {series.text}
            </p>
          ))}
      </figcaption>
      {names.length > 1 && (
        <EditableField
          label="Value"
          value={name}
          options={names.map((item) => [item, item] as const)}
          onChange={setChosen}
        />
      )}
      <div ref={ref}>
        {width > 0 && points.length > 0 && (
          <svg width={width} height={HEIGHT} role="group" aria-label={`${name} over ${sweep.axis}`}>
            {sweep.series.map(
              ({ label, below, above }) =>
                below !== null &&
                above !== null && (
                  <rect
                    key={label}
                    className="story-threshold"
                    x={x(below)}
                    width={x(above) - x(below)}
                    y={PAD.top}
                    height={HEIGHT - PAD.bottom - PAD.top}
                  >
                    <title>{`Threshold between ${below} and ${above}`}</title>
                  </rect>
                ),
            )}
            <text className="story-load" x={PAD.left} y={PAD.top - 6}>
              {name}
            </text>
            {y.ticks(4).map((tick) => (
              <g key={tick} className="story-grid">
                <line x1={PAD.left} x2={width - PAD.right} y1={y(tick)} y2={y(tick)} />
                <text x={PAD.left - 6} y={y(tick)} dy="0.32em" textAnchor="end">
                  {formatNumber(tick)}
                </text>
              </g>
            ))}
            {[...new Set(loads)].map((load) => (
              <text
                key={load}
                className="story-load"
                x={x(load)}
                y={HEIGHT - PAD.bottom + 14}
                textAnchor="middle"
              >
                {formatNumber(load)}
              </text>
            ))}
            <text
              className="story-load"
              x={(PAD.left + width - PAD.right) / 2}
              y={HEIGHT - 3}
              textAnchor="middle"
            >
              {sweep.axis}
            </text>
            {drawn.map((series, index) => (
              <g key={series.label} className={`story-series story-series-${index % 7}`}>
                <path d={path(series.points) ?? ''} />
                {series.points.map((point) => (
                  <circle
                    key={point.experiment_id}
                    className={point.failed ? 'story-failed' : undefined}
                    r={4}
                    cx={x(point.load)}
                    cy={y(point.value.value)}
                    role="button"
                    tabIndex={0}
                    aria-label={pointWords(point, sweep.axis)}
                    onClick={() => onOpen(point.experiment_id)}
                    onKeyDown={(event) => {
                      if (event.key === 'Enter') onOpen(point.experiment_id)
                    }}
                  >
                    <title>{pointWords(point, sweep.axis)}</title>
                  </circle>
                ))}
                {series.label && series.points.at(-1) && (
                  <text
                    className="story-load"
                    x={x(series.points.at(-1)?.load ?? 0)}
                    y={y(series.points.at(-1)?.value.value ?? 0) - 8}
                    textAnchor="end"
                  >
                    {series.label}
                  </text>
                )}
              </g>
            ))}
          </svg>
        )}
      </div>
    </figure>
  )
}

type Point = Sweep['series'][number]['points'][number] & {
  readonly value: Sweep['series'][number]['points'][number]['values'][number]
}

function pointWords(point: Point, axis: string): string {
  const failed = point.failed === null ? '' : point.failed ? ', failed' : ', did not fail'
  const { value } = point
  return `Run ${point.number}, ${axis} ${formatNumber(point.load)}: ${value.name} ${formatNumber(value.value)} (${value.source})${failed}`
}
