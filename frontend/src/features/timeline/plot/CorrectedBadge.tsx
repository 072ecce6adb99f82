/** Who corrected the times of a stall, by how much, and the way back to the computed ones. */
import { useEffect, useRef } from 'react'
import { parseIso } from '@/charts/time'
import { formatDuration } from '@/format'
import { useZone } from '@/state/incident'
import { Button } from '@/ui/controls/Button'
import { TARGET } from '../model/stallEdges'
import type { TimelineView } from './view'

/** About the width of the badge with its button, CSS pixels. */
const BADGE = 420

export function CorrectedBadge({
  view,
  at,
  end,
  by,
  was,
  onReset,
}: {
  readonly view: TimelineView
  readonly at: number
  readonly end: number | null
  readonly by: string
  readonly was: string
  readonly onReset: (() => void) | null
}) {
  const zone = useZone()
  const badge = useRef<HTMLDivElement>(null)
  useEffect(
    () =>
      view.onFrame(() => {
        const element = badge.current
        if (!element) return
        const px = view.x(at)
        const right = end === null ? Infinity : view.x(end)
        element.hidden = px < -200 || px > view.width
        // Inside the stall, or behind the handle of its end where it would cover that one.
        const left = right - px < BADGE ? right + TARGET + 2 : px + 8
        element.style.transform = `translateX(${Math.max(0, left)}px)`
      }),
    [view, at, end],
  )
  const off = (at - (parseIso(was) ?? at)) / 1000
  return (
    <div ref={badge} className="tl-corrected-badge">
      <span title={`Computed: ${zone.format(was)}`}>
        Corrected by {by}
        {off !== 0 && (
          <span className="faint">
            {' '}
            (onset {off > 0 ? '+' : '\u2212'}
            {formatDuration(Math.abs(off))})
          </span>
        )}
      </span>
      {onReset && (
        <Button size="small" variant="ghost" onClick={onReset}>
          Reset to computed
        </Button>
      )}
    </div>
  )
}
