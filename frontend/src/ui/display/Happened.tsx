/** When a thing happened, with when it was recorded if a person gave another time. */
import { useZone } from '@/state/incident'
import { happenedText, type Precision } from '@/ui/controls/happened'
import { Time } from './Value'

export function Happened({
  at,
  precision,
  recorded,
  by = 'happened',
}: {
  /** As a person gives it; null: when it was recorded. */
  readonly at: string | null
  readonly precision: Precision
  /** Null: nothing of it was recorded yet. */
  readonly recorded: string | null
  /** Which of the two times to show first. */
  readonly by?: 'happened' | 'recorded'
}) {
  const zone = useZone()
  if (recorded !== null && (at === null || by === 'recorded')) return <Time at={recorded} />
  if (at === null) return <>–</>
  return (
    <>
      <time dateTime={at} title={at}>
        {happenedText(at, precision, zone.name)}
      </time>
      {recorded !== null && (
        <span className="faint">
          {' '}
          (recorded <Time at={recorded} />)
        </span>
      )}
    </>
  )
}
