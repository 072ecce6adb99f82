/** The whole capture beneath the lanes: drag to choose a window, drag the window or its edges to move it. */
import { useEffect, useMemo, useRef } from 'react'
import { bindWindowBrush } from '@/charts/brush'
import { layoutLane, type LanePoint } from '@/charts/lane'
import type { Interval } from '@/charts/range'
import { timeScale } from '@/charts/time'
import { formatCount } from '@/format'
import type { Gaps } from '../model/captured'
import { layoutStalls } from '../model/marks'
import type { Stall } from '../model/documents'
import { LEFT } from './layout'
import type { TimelineView } from './view'

type Props = {
  readonly view: TimelineView
  readonly name: string | null
  readonly points: readonly LanePoint[] | null
  /** How many samples the points summarize; null: each point is a sample. */
  readonly summarized: number | null
  readonly stalls: readonly Stall[]
  readonly gaps: Gaps
  readonly whole: Interval
  readonly width: number
}

const HEIGHT = 44

export function OverviewStrip(props: Props) {
  const { view, name, points, summarized, stalls, gaps, whole, width } = props
  const x = timeScale(whole, width)
  const shape = useMemo(
    () => (points ? layoutLane(points, whole, { width, height: HEIGHT, padding: 4 }) : null),
    [points, whole, width],
  )
  const svg = useRef<SVGSVGElement>(null)
  const brush = useRef<SVGGElement>(null)
  useEffect(() => {
    if (!brush.current) return
    const size = { width, height: HEIGHT }
    const window = bindWindowBrush(brush.current, whole, size, (range) => view.setRange(range))
    const stop = view.onFrame(() => window.show(view.range))
    return () => {
      stop()
      window.unbind()
    }
  }, [view, whole, width])
  useEffect(
    () => view.onFrame(() => frameWindow(svg.current, whole, width, view.range)),
    [view, whole, width],
  )
  useEffect(
    () =>
      view.onHover((at) => {
        const cross = svg.current?.querySelector('[data-part="cross"]')
        cross?.setAttribute('x', String(at === null ? -9 : timeScale(whole, width)(at)))
      }),
    [view, whole, width],
  )
  return (
    <div className="strip" style={{ paddingLeft: LEFT }}>
      <div className="strip-label">
        Whole capture
        {name && (
          <div className="faint ellipsis" title={name}>
            {name}
          </div>
        )}
        {summarized !== null && (
          <div
            className="faint ellipsis"
            title="The line is the mean and the band the range of the samples at each point"
          >
            mean and range of {formatCount(summarized, 'sample')}
          </div>
        )}
      </div>
      <svg
        ref={svg}
        width={width}
        height={HEIGHT}
        role="img"
        aria-label="The whole capture; the shown window is framed. Drag to choose another."
        data-testid="overview-strip"
      >
        <rect width={width} height={HEIGHT} fill="var(--chrome)" />
        {layoutStalls(stalls, x, width).map((band) => (
          <rect
            key={band.stall.onset}
            x={band.x}
            width={Math.max(1, band.width)}
            height={HEIGHT}
            fill="var(--stall-band)"
          />
        ))}
        {gaps.map(([from, to]) => (
          <rect
            key={from}
            x={x(from)}
            width={Math.max(1, x(to) - x(from))}
            height={HEIGHT}
            fill="var(--line)"
            opacity={0.5}
          />
        ))}
        {shape && <path d={shape.band} fill="var(--idle)" opacity={0.25} />}
        {shape && <path d={shape.line} fill="none" stroke="var(--axis)" />}
        <rect data-part="left" height={HEIGHT} fill="var(--bg)" opacity={0.65} />
        <rect data-part="right" height={HEIGHT} fill="var(--bg)" opacity={0.65} />
        <rect data-part="frame" y={0.5} height={HEIGHT - 1} fill="none" stroke="var(--accent)" />
        <rect data-part="cross" x={-9} width={1} height={HEIGHT} fill="var(--border)" />
        <rect data-part="a" y={14} width={4} height={16} rx={1} fill="var(--accent)" />
        <rect data-part="b" y={14} width={4} height={16} rx={1} fill="var(--accent)" />
        <g ref={brush} />
      </svg>
    </div>
  )
}

/** Put the frame and its shades around the shown range. */
function frameWindow(
  svg: SVGSVGElement | null,
  whole: Interval,
  width: number,
  range: Interval,
): void {
  const scale = timeScale(whole, width)
  const [start, end] = [scale(range[0]), scale(range[1])]
  const set = (part: string, name: string, value: number) =>
    svg?.querySelector(`[data-part="${part}"]`)?.setAttribute(name, String(value))
  set('left', 'width', Math.max(0, start))
  set('right', 'x', end)
  set('right', 'width', Math.max(0, width - end))
  set('frame', 'x', start + 0.5)
  set('frame', 'width', Math.max(2, end - start - 1))
  set('a', 'x', start - 2)
  set('b', 'x', end - 2)
}
