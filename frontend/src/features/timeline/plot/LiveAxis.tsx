/** The time axis of the plot with the instant under the pointer; it follows the plot at each frame. */
import { useEffect, useRef, useState } from 'react'
import { TimeAxis } from '@/charts/TimeAxis'
import type { Interval } from '@/charts/range'
import { useZone } from '@/state/incident'
import type { TimelineView } from './view'

type Props = {
  readonly view: TimelineView
  readonly width: number
  /** What the times are relative to, where they are not wall clock. */
  readonly relative: string | null
}

export function LiveAxis({ view, width, relative }: Props) {
  const zone = useZone()
  const [range, setRange] = useState<Interval>(view.range)
  const label = useRef<HTMLSpanElement>(null)
  useEffect(() => view.onFrame(() => setRange(view.range)), [view])
  useEffect(
    () =>
      view.onHover((at) => {
        const span = label.current
        if (!span) return
        span.hidden = at === null
        if (at === null) return
        const px = view.x(at)
        span.textContent = zone.format(at, 'clock')
        span.style.transform = `translateX(${Math.min(width - 56, Math.max(0, px - 28))}px)`
      }),
    [view, zone, width],
  )
  return (
    <div className="tl-axis" style={{ width }} data-testid="timeline-axis">
      <TimeAxis range={range} width={width} zone={zone.name} />
      {relative && <span className="tl-relative">{relative}</span>}
      <span ref={label} className="tl-now mono" hidden />
    </div>
  )
}
