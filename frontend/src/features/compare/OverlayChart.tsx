/** A chart of one series for every side: aligned at the onset, at the start, or by clock time. */
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useRef, useState } from 'react'
import { escapeXml, svgOfElement } from '@/charts/exportSvg'
import type { Interval } from '@/charts/range'
import { useWidth } from '@/charts/useWidth'
import { formatNumber } from '@/format'
import { useZone } from '@/state/incident'
import { ExportMenu } from '@/ui/controls/ExportMenu'
import { EmptyState, Problem } from '@/ui/display/States'
import {
  layoutOverlay,
  LEFT,
  type OverlayShape,
  overlayRows,
  overlaySentence,
  valuesAt,
} from './overlay'
import { type Comparison, overlayQuery } from './queries'
import { NAMES } from '@/state/sides'

const HEIGHT = 180
/** A second cue in addition to colour. */
const DASH = ['', '6 3', '2 3', '8 3 2 3', '1 2', '12 4']

const colourOf = (side: number) => `var(--side-${side})`
const sideStyle = (side: number) => ({ '--side': colourOf(side) }) as React.CSSProperties

const ZERO = { onset: 'onset', start: 'start', clock: '' } as const

export function OverlayChart({
  incidentId,
  comparison,
  series,
  title,
  gaps,
}: {
  readonly incidentId: string
  readonly comparison: Comparison
  readonly series: string
  /** The series in words. */
  readonly title: string
  /** Time that the incident does not capture, epoch ms: no line crosses it. */
  readonly gaps: readonly Interval[]
}) {
  const [ref, width] = useWidth<HTMLDivElement>(800)
  const drawing = useRef<SVGSVGElement>(null)
  const result = useQuery(overlayQuery(incidentId, comparison, series))
  /** Crosshair position in seconds on the axis; null without one. */
  const [at, setAt] = useState<number | null>(null)
  const zone = useZone()
  if (result.isLoadingError) {
    return <Problem compact error={result.error} what="The series could not be compared" />
  }
  const name = result.data ? overlaySentence(title, result.data) : title
  const drawn =
    result.data &&
    layoutOverlay(result.data, width, HEIGHT, {
      zone: zone.name,
      gaps: comparison.sides.map((side) => (side.experiments.length > 0 ? [] : gaps)),
    })
  // The crosshair reads values within some pixels, but at least within one sample interval.
  const reach = drawn ? Math.max(2, drawn.secondsAt(LEFT + 24) - drawn.secondsAt(LEFT)) : 0
  const values = result.data && at !== null ? valuesAt(result.data, at, reach) : null
  const timeText =
    at === null ? '' : comparison.align === 'clock' ? zone.format(at * 1000) : seconds(at)
  const onKey = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (by === undefined || !drawn) return
    event.preventDefault()
    const from = at === null ? LEFT : drawn.pxOf(at)
    setAt(drawn.secondsAt(from + by * (event.shiftKey ? 40 : 4)))
  }
  return (
    <figure className="overlay" ref={ref}>
      <figcaption>
        <b>{title}</b>
        {result.data?.unit && <span className="faint"> {result.data.unit}</span>}
        {drawn &&
          drawn.shapes.map((shape, index) => (
            <span key={shape.key} className="overlay-name" style={sideStyle(shape.side)}>
              <svg width="22" height="8" aria-hidden="true">
                <path d="M0 4H22" className="overlay-line" strokeDasharray={DASH[shape.side]} />
              </svg>
              {NAMES[shape.side]} {shape.label}
              {values && <b className="num overlay-value">{values[index] ?? '–'}</b>}
            </span>
          ))}
        {result.data && <span className="faint">{formatNumber(result.data.samples)} samples</span>}
        {timeText && (
          <span className="num" role="status">
            at {timeText}
          </span>
        )}
        {result.data && drawn && (
          <span className="overlay-export">
            <ExportMenu
              name={['comparison', series]}
              svg={() => {
                const element = drawing.current
                if (!element) throw new Error('no drawing to export')
                return svgOfElement(element, {
                  ...{ title, description: name },
                  head: headOf(title, result.data.unit, drawn.shapes),
                })
              }}
              rows={() => overlayRows(result.data)}
            />
          </span>
        )}
      </figcaption>
      {drawn ? (
        <svg
          width="100%"
          height={HEIGHT}
          ref={drawing}
          role="img"
          aria-label={`${name} Arrow keys move the crosshair.`}
          tabIndex={0}
          className="overlay-chart"
          onPointerMove={(event) => {
            const box = event.currentTarget.getBoundingClientRect()
            setAt(drawn.secondsAt(event.clientX - box.left))
          }}
          onPointerLeave={() => setAt(null)}
          onBlur={() => setAt(null)}
          onKeyDown={onKey}
        >
          {drawn.y.map((tick) => (
            <g key={tick.label} transform={`translate(0,${tick.at})`} className="overlay-tick">
              <line x1={LEFT} x2={width - 8} />
              <text x={50} dy="0.32em" textAnchor="end">
                {tick.label}
              </text>
            </g>
          ))}
          {drawn.x.map((tick) => (
            <text
              key={tick.at}
              x={tick.at}
              y={12}
              textAnchor={tick.at > width - 28 ? 'end' : 'middle'}
              className="overlay-x"
            >
              {tick.label}
            </text>
          ))}
          {drawn.zero !== null && (
            <g className="overlay-zero">
              <line x1={drawn.zero} x2={drawn.zero} y1={18} y2={HEIGHT - 6} />
              <text x={drawn.zero + 4} y={28}>
                {ZERO[comparison.align]}
              </text>
            </g>
          )}
          {drawn.shapes.map((shape) => (
            <g key={shape.key} style={sideStyle(shape.side)}>
              {shape.band && <path d={shape.band} className="overlay-band" />}
              <path d={shape.line} className="overlay-line" strokeDasharray={DASH[shape.side]} />
            </g>
          ))}
          {at !== null && (
            <line
              data-live
              className="overlay-cross"
              x1={drawn.pxOf(at)}
              x2={drawn.pxOf(at)}
              y1={18}
              y2={HEIGHT - 6}
            />
          )}
        </svg>
      ) : (
        <div className="overlay-empty" style={{ minHeight: HEIGHT }}>
          {result.data && <EmptyState compact title={`No side has samples of ${title}`} />}
        </div>
      )}
    </figure>
  )
}

/** Build the SVG heading: series, unit, and the legend of the sides. */
function headOf(
  series: string,
  unit: string | null | undefined,
  shapes: readonly Pick<OverlayShape, 'side' | 'label'>[],
) {
  const lines = shapes.map(({ side, label }, at) => {
    const y = 34 + at * 16
    const dash = DASH[side] ? ` stroke-dasharray="${DASH[side]}"` : ''
    const colour = colourOf(side)
    return (
      `<path d="M8 ${y}H34" fill="none" stroke="${colour}" stroke-width="1.25"${dash}/>` +
      `<text x="42" y="${y + 4}" fill="var(--text)">${escapeXml(`${NAMES[side] ?? ''} ${label}`)}</text>`
    )
  })
  const title = escapeXml(unit ? `${series} (${unit})` : series)
  return {
    body: `<text x="8" y="18" font-weight="600" fill="var(--text)">${title}</text>${lines.join('')}`,
    height: 34 + shapes.length * 16,
  }
}

/** Format a position on an axis that starts at the onset or the start: "+12.5 s". */
const seconds = (value: number) =>
  `${value < 0 ? '\u2212' : '+'}${formatNumber(Math.abs(value), 1)}\u202fs`
