/** Pure parts of the scrubber: moments as bars of what was active, at most one for some pixels. */
import type { ProcesslistMoment } from '@/api/schema'

const COLUMN_PX = 6

export type Bar = {
  readonly x: number
  /** 0..1 of the fullest moment. */
  readonly weight: number
  readonly moment: ProcesslistMoment
}

/** By time; where no moment has one, side by side in their order. */
export function layoutBars(moments: readonly ProcesslistMoment[], width: number): Bar[] {
  const most = Math.max(1, ...moments.map((one) => one.active))
  const timed = moments.filter((one) => one.time !== null)
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

/** The moment that a view begins with: the fullest, the first of them. */
export const fullest = (moments: readonly ProcesslistMoment[]): ProcesslistMoment | null =>
  moments.reduce<ProcesslistMoment | null>(
    (best, one) => (best === null || one.active > best.active ? one : best),
    null,
  )

export const momentId = (one: ProcesslistMoment) => `${one.artifact.slice(0, 16)}:${one.snapshot}`

/** The moment of the address: by id, else the nearest to a time. */
export function findMoment(
  moments: readonly ProcesslistMoment[],
  at: string,
): ProcesslistMoment | null {
  const named = moments.find((one) => momentId(one) === at)
  if (named || !at) return named ?? null
  const wanted = Date.parse(at)
  if (!Number.isFinite(wanted)) return null
  const distance = (one: ProcesslistMoment) =>
    one.time === null ? Infinity : Math.abs(Date.parse(one.time) - wanted)
  return moments.reduce<ProcesslistMoment | null>(
    (best, one) => (best === null || distance(one) < distance(best) ? one : best),
    null,
  )
}
