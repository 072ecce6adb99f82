/** The whole capture beneath the lanes; drag to choose a window, drag the window to move it. */
import { useMemo, useRef, useState } from 'react'
import type { components } from '@/api/schema'
import { layoutLane } from '@/charts/lane'
import { clamped, timeScale, type Interval } from '@/charts/time'
import { layoutStalls } from './marks'
import type { Lane } from './queries'
import { LEFT } from './layout'

type Props = {
  lane: Lane | undefined
  stalls: readonly components['schemas']['StallDoc'][]
  whole: Interval
  range: Interval
  width: number
  onChange: (next: Interval) => void
}

const HEIGHT = 44

export function OverviewStrip({ lane, stalls, whole, range, width, onChange }: Props) {
  const x = timeScale(whole, width)
  const shape = useMemo(
    () =>
      lane
        ? layoutLane(lane.points, timeScale(whole, width), { height: HEIGHT, padding: 4 })
        : null,
    [lane, whole, width],
  )
  const [draft, setDraft] = useState<Interval | null>(null)
  const from = useRef<{ at: number; move: boolean; range: Interval } | null>(null)
  const [start, end] = draft ?? range
  const at = (event: React.PointerEvent<SVGSVGElement>) =>
    x.invert(event.clientX - event.currentTarget.getBoundingClientRect().left).getTime()

  return (
    <div className="strip" style={{ paddingLeft: LEFT }}>
      <div className="strip-label">Whole capture</div>
      <svg
        width={width}
        height={HEIGHT}
        role="img"
        aria-label="The whole capture; the chosen window is framed"
        onPointerDown={(event) => {
          const here = at(event)
          event.currentTarget.setPointerCapture(event.pointerId)
          const wide = range[1] - range[0] > (whole[1] - whole[0]) * 0.98
          from.current = { at: here, move: !wide && here > range[0] && here < range[1], range }
        }}
        onPointerMove={(event) => {
          const begun = from.current
          if (!begun) return
          const here = at(event)
          setDraft(
            begun.move
              ? clamped([begun.range[0] + here - begun.at, begun.range[1] + here - begun.at], whole)
              : [
                  Math.max(whole[0], Math.min(begun.at, here)),
                  Math.min(whole[1], Math.max(begun.at, here)),
                ],
          )
        }}
        onPointerUp={() => {
          from.current = null
          if (draft && draft[1] - draft[0] >= 1000) onChange(draft)
          setDraft(null)
        }}
      >
        <rect width={width} height={HEIGHT} fill="var(--chrome)" />
        {layoutStalls(stalls, x, width).map((band) => (
          <rect
            key={band.stall.onset}
            x={band.x}
            width={band.width}
            height={HEIGHT}
            fill="var(--stall-band)"
          />
        ))}
        {shape && <path d={shape.line} fill="none" stroke="var(--axis)" />}
        <rect x={0} width={Math.max(0, x(start))} height={HEIGHT} fill="var(--bg)" opacity={0.65} />
        <rect
          x={x(end)}
          width={Math.max(0, width - x(end))}
          height={HEIGHT}
          fill="var(--bg)"
          opacity={0.65}
        />
        <rect
          x={x(start) + 0.5}
          y={0.5}
          width={Math.max(1, x(end) - x(start) - 1)}
          height={HEIGHT - 1}
          fill="none"
          stroke="var(--accent)"
        />
      </svg>
    </div>
  )
}
