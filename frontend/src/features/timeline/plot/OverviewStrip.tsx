/** The whole capture beneath the lanes: drag to choose a window, drag the window or its edges to move it. */
import { type PointerEvent, useEffect, useMemo, useRef } from 'react'
import { layoutLane, type LanePoint } from '@/charts/lane'
import { clamped, timeScale, type Interval } from '@/charts/time'
import { layoutStalls } from '../model/marks'
import type { Stall } from '../model/documents'
import { LEFT } from './layout'
import type { TimelineView } from './view'

type Props = {
  readonly view: TimelineView
  readonly name: string | null
  readonly points: readonly LanePoint[] | null
  readonly stalls: readonly Stall[]
  readonly whole: Interval
  readonly width: number
}

const HEIGHT = 44
const GRIP = 6
type Mode = 'new' | 'move' | 'start' | 'end'

export function OverviewStrip({ view, name, points, stalls, whole, width }: Props) {
  const x = timeScale(whole, width)
  const shape = useMemo(
    () =>
      points ? layoutLane(points, timeScale(whole, width), { height: HEIGHT, padding: 4 }) : null,
    [points, whole, width],
  )
  const svg = useRef<SVGSVGElement>(null)
  const from = useRef<{ at: number; mode: Mode; range: Interval } | null>(null)
  useEffect(
    () =>
      view.onFrame(() => {
        const scale = timeScale(whole, width)
        const [start, end] = [scale(view.range[0]), scale(view.range[1])]
        const set = (part: string, name: string, value: number) =>
          svg.current?.querySelector(`[data-part="${part}"]`)?.setAttribute(name, String(value))
        set('left', 'width', Math.max(0, start))
        set('right', 'x', end)
        set('right', 'width', Math.max(0, width - end))
        set('frame', 'x', start + 0.5)
        set('frame', 'width', Math.max(2, end - start - 1))
        set('a', 'x', start - 2)
        set('b', 'x', end - 2)
      }),
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
  const px = (event: PointerEvent<SVGSVGElement>) =>
    event.clientX - event.currentTarget.getBoundingClientRect().left
  const modeAt = (at: number): Mode => {
    const [start, end] = [x(view.range[0]), x(view.range[1])]
    if (Math.abs(at - start) <= GRIP) return 'start'
    if (Math.abs(at - end) <= GRIP) return 'end'
    const all = end - start > width * 0.98
    return !all && at > start && at < end ? 'move' : 'new'
  }
  return (
    <div className="strip" style={{ paddingLeft: LEFT }}>
      <div className="strip-label">
        Whole capture
        {name && <div className="faint mono ellipsis">{name}</div>}
      </div>
      <svg
        ref={svg}
        width={width}
        height={HEIGHT}
        role="img"
        aria-label="The whole capture; the shown window is framed. Drag to choose another."
        data-testid="overview-strip"
        onPointerDown={(event) => {
          const at = px(event)
          event.currentTarget.setPointerCapture(event.pointerId)
          from.current = { at, mode: modeAt(at), range: view.range }
        }}
        onPointerMove={(event) => {
          const at = px(event)
          const begun = from.current
          if (!begun) {
            const mode = modeAt(at)
            event.currentTarget.style.cursor =
              mode === 'move' ? 'grab' : mode === 'new' ? 'crosshair' : 'ew-resize'
            return
          }
          const time = x.invert(at).getTime()
          const shift = time - x.invert(begun.at).getTime()
          const [start, end] = begun.range
          if (begun.mode === 'move') view.setRange(clamped([start + shift, end + shift], whole))
          else if (begun.mode === 'start') {
            view.setRange([Math.min(Math.max(whole[0], time), end - 1000), end])
          } else if (begun.mode === 'end') {
            view.setRange([start, Math.max(Math.min(whole[1], time), start + 1000)])
          } else if (Math.abs(at - begun.at) > 3) {
            const first = x.invert(Math.max(0, Math.min(begun.at, at))).getTime()
            const last = x.invert(Math.min(width, Math.max(begun.at, at))).getTime()
            view.setRange([first, Math.max(last, first + 1000)])
          }
        }}
        onPointerUp={() => {
          from.current = null
        }}
      >
        <rect width={width} height={HEIGHT} fill="var(--chrome)" />
        {layoutStalls(stalls, x, width).map((one) => (
          <rect
            key={one.stall.onset}
            x={one.x}
            width={Math.max(1, one.width)}
            height={HEIGHT}
            fill="var(--stall-band)"
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
      </svg>
    </div>
  )
}
