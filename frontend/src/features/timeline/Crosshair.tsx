/** One hovered instant through all lanes, with its time on the axis. */
import type { TimeScale } from '@/charts/time'
import { useHover } from '@/state/hover'
import { useZone } from '@/state/incident'

type Props = { x: TimeScale; left: number; width: number }

export function Crosshair({ x, left, width }: Props) {
  const { at } = useHover()
  const zone = useZone()
  if (at === null) return null
  const px = x(at)
  if (px < 0 || px > width) return null
  return (
    <div className="timeline-crosshair" style={{ left: left + px }} aria-hidden="true">
      <span className="mono">{zone.format(at, 'clock')}</span>
    </div>
  )
}
