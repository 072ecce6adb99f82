/** The stretch that m marked: a frame over all lanes with its length, until Esc or kept as a note. */
import { useEffect, useRef } from 'react'
import type { Interval } from '@/charts/range'
import { formatDuration } from '@/format'
import { useZone } from '@/state/incident'
import { Button } from '@/ui/controls/Button'
import type { TimelineView } from './view'

export function MarkedSpan({
  view,
  span: [from, to],
  onKeep,
  onClear,
}: {
  readonly view: TimelineView
  readonly span: Interval
  /** Null: may not write. */
  readonly onKeep: (() => void) | null
  readonly onClear: () => void
}) {
  const zone = useZone()
  const frame = useRef<HTMLDivElement>(null)
  const badge = useRef<HTMLDivElement>(null)
  useEffect(
    () =>
      view.onFrame(() => {
        const [left, right] = [Math.max(-2, view.x(from)), Math.min(view.width + 2, view.x(to))]
        const beyond = right <= 0 || left >= view.width
        if (frame.current) {
          frame.current.hidden = beyond
          frame.current.style.transform = `translateX(${left}px)`
          frame.current.style.width = `${Math.max(1, right - left)}px`
        }
        if (badge.current) {
          badge.current.hidden = beyond
          const most = Math.max(0, view.width - badge.current.offsetWidth)
          badge.current.style.transform = `translateX(${Math.min(most, Math.max(0, left))}px)`
        }
      }),
    [view, from, to],
  )
  return (
    <>
      <div ref={frame} className="tl-span" data-testid="marked-span" />
      <div ref={badge} className="tl-span-badge" role="status">
        <span title={`${zone.format(from)} – ${zone.format(to)} ${zone.label}`}>
          Marked: {formatDuration((to - from) / 1000)}
        </span>
        {onKeep && (
          <Button size="small" variant="ghost" title="Save as a note (Shift+m)" onClick={onKeep}>
            Keep
          </Button>
        )}
        <Button size="small" variant="ghost" title="Clear (Esc)" onClick={onClear}>
          Clear
        </Button>
      </div>
    </>
  )
}
