/** The captured moments as bars, as tall as the share of active sessions; one is selected. */
import { type KeyboardEvent, useMemo } from 'react'
import type { ProcesslistMoment } from '@/api/schema'
import { useWidth } from '@/charts/useWidth'
import { formatNumber } from '@/format'
import { useZone } from '@/state/incident'
import { Button } from '@/ui/controls/Button'
import { cx } from '@/ui/controls/cx'
import { Time } from '@/ui/display/Value'
import { layoutBars, momentId } from './scrub'

export function MomentScrubber({
  moments,
  moment,
  onGo,
  before,
  after,
}: {
  readonly moments: readonly ProcesslistMoment[]
  readonly moment: ProcesslistMoment
  readonly onGo: (moment: ProcesslistMoment | undefined) => void
  readonly before: ProcesslistMoment | undefined
  readonly after: ProcesslistMoment | undefined
}) {
  const zone = useZone()
  const [frame, width] = useWidth<HTMLDivElement>(900)
  const bars = useMemo(() => layoutBars(moments, width), [moments, width])
  const onKey = (event: KeyboardEvent) => {
    const next = { ArrowLeft: before, ArrowRight: after }[event.key]
    if (!next || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    onGo(next)
  }
  const here = momentId(moment)
  return (
    <div className="scrub" role="group" aria-label="Moments of processlists" onKeyDown={onKey}>
      <div className="scrub-head">
        <span>
          <strong data-testid="processlist-moment">
            {moment.time ? <Time at={moment.time} zone /> : 'Time unknown'}
          </strong>{' '}
          <span className="muted">
            {moment.active} of {moment.sessions} sessions active
          </span>
        </span>
        <span className="tables-space" />
        <span className="faint">{formatNumber(moments.length, 0)} moments</span>
        <Button
          size="small"
          variant="ghost"
          disabled={!before}
          onClick={() => onGo(before)}
          title="Previous moment ([)"
        >
          ‹ Previous
        </Button>
        <Button
          size="small"
          variant="ghost"
          disabled={!after}
          onClick={() => onGo(after)}
          title="Next moment (])"
        >
          Next ›
        </Button>
      </div>
      <div ref={frame} className="scrub-plot">
        {bars.map((bar) => (
          <button
            key={momentId(bar.moment)}
            type="button"
            className={cx('scrub-bar', momentId(bar.moment) === here && 'scrub-here')}
            style={{ left: bar.x, ['--tall' as string]: `${Math.max(6, bar.weight * 100)}%` }}
            tabIndex={momentId(bar.moment) === here ? 0 : -1}
            aria-pressed={momentId(bar.moment) === here}
            aria-label={`${zone.format(bar.moment.time)}, ${bar.moment.active} active`}
            title={`${zone.format(bar.moment.time)}: ${bar.moment.active} of ${bar.moment.sessions} active`}
            onClick={() => onGo(bar.moment)}
          />
        ))}
      </div>
    </div>
  )
}
