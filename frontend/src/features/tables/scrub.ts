/** Layout of the scrubber: moments as bars of active sessions, limited to one per few pixels. */
import type { ProcesslistMoment } from '@/api/schema'

const COLUMN_PX = 6

type Bar = {
  readonly x: number
  /** Active sessions as a share (0..1) of the busiest moment. */
  readonly weight: number
  readonly moment: ProcesslistMoment
}

/** Place the bars by time; moments without times are evenly spaced in their order. */
export function layoutBars(moments: readonly ProcesslistMoment[], width: number): Bar[] {
  const most = Math.max(1, ...moments.map((moment) => moment.active))
  const timed = moments.filter((moment) => moment.time !== null)
  const shown = timed.length > 0 ? timed : moments
  const first = Date.parse(shown[0]?.time ?? '')
  const last = Date.parse(shown.at(-1)?.time ?? '')
  const span = Number.isFinite(last - first) ? last - first : 0
  const room = Math.max(1, width - COLUMN_PX)
  const columns = new Map<number, Bar>()
  shown.forEach((moment, index) => {
    const share =
      span > 0 && moment.time !== null
        ? (Date.parse(moment.time) - first) / span
        : shown.length > 1
          ? index / (shown.length - 1)
          : 0
    const x = share * room
    const column = Math.floor(x / COLUMN_PX)
    const before = columns.get(column)
    if (!before || moment.active > before.moment.active)
      columns.set(column, { x, weight: moment.active / most, moment })
  })
  return [...columns.values()]
}

/** Return the default moment: the first of the busiest. */
export const fullest = (moments: readonly ProcesslistMoment[]): ProcesslistMoment | null =>
  moments.reduce<ProcesslistMoment | null>(
    (best, moment) => (best === null || moment.active > best.active ? moment : best),
    null,
  )

export const momentId = (item: ProcesslistMoment) =>
  `${item.artifact.slice(0, 16)}:${item.snapshot}`

/** Find the moment of the address: by id, else the nearest to a time. */
export function findMoment(
  moments: readonly ProcesslistMoment[],
  at: string,
): ProcesslistMoment | null {
  const named = moments.find((moment) => momentId(moment) === at)
  if (named || !at) return named ?? null
  const wanted = Date.parse(at)
  if (!Number.isFinite(wanted)) return null
  const distance = (item: ProcesslistMoment) =>
    item.time === null ? Infinity : Math.abs(Date.parse(item.time) - wanted)
  return moments.reduce<ProcesslistMoment | null>(
    (best, moment) => (best === null || distance(moment) < distance(best) ? moment : best),
    null,
  )
}
