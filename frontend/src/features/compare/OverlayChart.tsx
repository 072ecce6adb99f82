/** One series of every side over one axis: aligned at the onset, at the start, or by the clock. */
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { svgOfElement } from '@/charts/exportSvg'
import { useWidth } from '@/charts/useWidth'
import { formatNumber } from '@/format'
import { ExportMenu } from '@/ui/ExportMenu'
import { EmptyState, Problem } from '@/ui/States'
import { layoutOverlay, overlayRows, overlaySentence } from './overlay'
import { type Asked, overlayQuery } from './queries'
import { NAMES } from './sides'

const HEIGHT = 180
/** A second cue beside the colour. */
const DASH = ['', '6 3', '2 3', '8 3 2 3', '1 2', '12 4']

const ZERO = { onset: 'onset', start: 'start', clock: '' } as const

export function OverlayChart({
  incidentId,
  asked,
  series,
}: {
  readonly incidentId: string
  readonly asked: Asked
  readonly series: string
}) {
  const [ref, width] = useWidth<HTMLDivElement>(800)
  const drawing = useRef<SVGSVGElement>(null)
  const found = useQuery(overlayQuery(incidentId, asked, series))
  if (found.isLoadingError) {
    return (
      <Problem compact error={found.error} what="The sides could not be laid over each other" />
    )
  }
  const said = found.data ? overlaySentence(series, found.data) : series
  const drawn = found.data && layoutOverlay(found.data, width, HEIGHT)
  return (
    <figure className="overlay" ref={ref}>
      <figcaption>
        <span className="mono">{series}</span>
        {found.data?.unit && <span className="faint"> {found.data.unit}</span>}
        {drawn &&
          drawn.shapes.map((one) => (
            <span key={one.key} className={`overlay-name side-${one.side}`}>
              <svg width="22" height="8" aria-hidden="true">
                <path d="M0 4H22" className="overlay-line" strokeDasharray={DASH[one.side]} />
              </svg>
              {NAMES[one.side]} {one.label}
            </span>
          ))}
        {found.data && <span className="faint">{formatNumber(found.data.samples)} samples</span>}
        {found.data && drawn && (
          <span className="overlay-export">
            <ExportMenu
              name={['comparison', series]}
              svg={() => {
                const element = drawing.current
                if (!element) throw new Error('nothing is drawn')
                return svgOfElement(element, { title: series, description: said })
              }}
              rows={() => overlayRows(found.data)}
            />
          </span>
        )}
      </figcaption>
      {drawn ? (
        <svg width="100%" height={HEIGHT} ref={drawing} role="img" aria-label={said}>
          {drawn.y.map((tick) => (
            <g key={tick.label} transform={`translate(0,${tick.at})`} className="overlay-tick">
              <line x1={56} x2={width - 8} />
              <text x={50} dy="0.32em" textAnchor="end">
                {tick.label}
              </text>
            </g>
          ))}
          {drawn.x.map((tick) => (
            <text key={tick.label} x={tick.at} y={12} textAnchor="middle" className="overlay-x">
              {tick.label}
            </text>
          ))}
          {drawn.zero !== null && (
            <g className="overlay-zero">
              <line x1={drawn.zero} x2={drawn.zero} y1={18} y2={HEIGHT - 6} />
              <text x={drawn.zero + 4} y={28}>
                {ZERO[asked.align]}
              </text>
            </g>
          )}
          {drawn.shapes.map((one) => (
            <g key={one.key} className={`side-${one.side}`}>
              {one.band && <path d={one.band} className="overlay-band" />}
              <path d={one.line} className="overlay-line" strokeDasharray={DASH[one.side]} />
            </g>
          ))}
        </svg>
      ) : (
        found.data && <EmptyState compact title={`No side has samples of ${series}`} />
      )}
    </figure>
  )
}
