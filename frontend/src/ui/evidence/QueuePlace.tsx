/** The place of an incident's waiting work in the queue, and an estimate; nothing while none waits. */
import { formatCount } from '@/format'
import { useQuery } from '@tanstack/react-query'
import { queuePlaceQuery } from '@/api/queries'
import type { Place } from '@/api/schema'

export function QueuePlace({
  incidentId,
  isParsing,
}: {
  readonly incidentId: string
  readonly isParsing: boolean
}) {
  const { data } = useQuery({ ...queuePlaceQuery(incidentId), enabled: isParsing })
  const sentence = isParsing && data ? describePlace(data) : null
  return sentence && <span className="queue-place">{sentence}</span>
}

/** Describe a place in the queue; null when nothing of the incident waits. */
export function describePlace({ waiting, ahead, total, estimate_s }: Place): string | null {
  if (waiting === 0) return null
  const mine =
    total > waiting
      ? `${waiting} of ${formatCount(total, 'waiting job')} ${waiting === 1 ? 'belongs' : 'belong'} to this incident`
      : `${formatCount(waiting, 'job')} waiting`
  const turn = ahead > 0 ? `; ${formatCount(ahead, 'other job')} first` : ''
  return `${mine}${turn}${estimate_s === null ? '' : `; ${left(estimate_s)}`}.`
}

function left(seconds: number): string {
  if (seconds < 50) return 'less than a minute left'
  const minutes = Math.round(seconds / 60)
  return minutes < 90 ? `about ${minutes} min left` : `about ${Math.round(minutes / 60)} h left`
}
