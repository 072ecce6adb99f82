/** The whole file as a strip next to the scrollbar: skipped ranges and problems. */
import { useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { ArtifactDetail } from '@/api/schema'
import { rulerTicks } from './lines'

export function Ruler({
  detail,
  total,
  onGo,
}: {
  readonly detail: ArtifactDetail | undefined
  readonly total: number
  readonly onGo: (line: number) => void
}) {
  const frame = useRef<HTMLDivElement>(null)
  const [height, setHeight] = useState(0)
  useLayoutEffect(() => {
    const element = frame.current
    if (!element) return
    const observer = new ResizeObserver(() => setHeight(element.clientHeight))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const ticks = useMemo(() => rulerTicks(detail, total, height), [detail, total, height])
  return (
    // For the keyboard, the buttons "Previous problem" and "Next problem" do the same.
    <div
      ref={frame}
      className="ruler"
      aria-hidden="true"
      title="Skipped ranges and problems of the file"
      onClick={(event) => {
        const box = event.currentTarget.getBoundingClientRect()
        const share = (event.clientY - box.top) / Math.max(1, box.height)
        onGo(Math.min(total, Math.max(1, Math.round(share * total))))
      }}
    >
      {ticks.map((tick) => (
        <span
          key={`${tick.mark}${tick.top}`}
          className={`ruler-tick ruler-${tick.mark}`}
          style={{ top: tick.top, height: tick.height }}
        />
      ))}
    </div>
  )
}
