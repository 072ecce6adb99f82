/** Layout of the sessions over time: one bar per processlist, in stretches with gaps between them. */
import type { ProcesslistMoment, SessionsColumn } from '@/api/schema'
import type { Interval } from '@/charts/range'
import { shareWidth } from '@/charts/stretches'

const WIDEST_BAR = 14
/** A step this many times the usual one is a gap, if it also is this share of the whole. */
const GAP_STEPS = 10
const GAP_SHARE = 0.03

export type Stretch = {
  readonly x: number
  readonly width: number
  /** Null where no processlist has a time: then the bars are evenly spaced in their order. */
  readonly range: Interval | null
  readonly bars: readonly Bar[]
}

type Bar = {
  readonly x: number
  readonly width: number
  readonly column: SessionsColumn
}

/** Place the bars by time; a long time without a processlist separates two stretches. */
export function layoutStretches(columns: readonly SessionsColumn[], width: number): Stretch[] {
  const timed = columns.filter((column) => column.time !== null)
  if (timed.length === 0) return columns.length === 0 ? [] : [evenly(columns, width)]
  const groups = splitAtGaps(timed)
  const counts = groups.map((group) => group.length)
  return shareWidth(counts, width).map((place, index) =>
    placed(groups[index] ?? [], place.x, place.width),
  )
}

/** Return the position of a moment on the x axis; null outside of every stretch. */
export function placeOf(stretches: readonly Stretch[], moment: ProcesslistMoment): number | null {
  const bars = stretches.flatMap((stretch) => stretch.bars)
  const bar = bars.find(({ column }) => momentId(column) === momentId(moment))
  if (bar) return bar.x + bar.width / 2
  const at = Date.parse(moment.time ?? '')
  const around = stretches.find(({ range }) => range && range[0] <= at && at <= range[1])
  if (!around?.range) return null
  return around.x + ((at - around.range[0]) / (around.range[1] - around.range[0])) * around.width
}

function splitAtGaps(columns: readonly SessionsColumn[]): SessionsColumn[][] {
  const times = columns.map((column) => Date.parse(column.time ?? ''))
  const steps = times.slice(1).map((time, index) => time - (times[index] ?? time))
  const usual = [...steps].sort((a, b) => a - b)[steps.length >> 1] ?? 0
  const whole = (times.at(-1) ?? 0) - (times[0] ?? 0)
  const gap = Math.max(usual * GAP_STEPS, whole * GAP_SHARE)
  const groups: SessionsColumn[][] = []
  columns.forEach((column, index) => {
    if (index === 0 || (steps[index - 1] ?? 0) > gap) groups.push([column])
    else groups.at(-1)?.push(column)
  })
  return groups
}

function placed(columns: readonly SessionsColumn[], x: number, width: number): Stretch {
  const times = columns.map((column) => Date.parse(column.time ?? ''))
  const first = times[0] ?? 0
  const last = times.at(-1) ?? first
  if (last === first) return { ...evenly(columns, width, x), range: [first, first + 1000] }
  const bar = barWidth(columns.length, width)
  // The axis ends with the last bar, which begins at its time like every other.
  const scale = (width - bar) / (last - first)
  return {
    x,
    width,
    range: [first, first + width / scale],
    bars: columns.map((column, index) => ({
      x: x + ((times[index] ?? first) - first) * scale,
      width: bar,
      column,
    })),
  }
}

function evenly(columns: readonly SessionsColumn[], width: number, x = 0): Stretch {
  const step = width / columns.length
  const bar = barWidth(columns.length, width)
  return {
    x,
    width,
    range: null,
    bars: columns.map((column, index) => ({ x: x + index * step, width: bar, column })),
  }
}

const barWidth = (count: number, width: number) =>
  Math.min(WIDEST_BAR, Math.max(1.5, width / count - 1))

/** Return the default moment: the first of the busiest. */
export const fullest = (moments: readonly ProcesslistMoment[]): ProcesslistMoment | null =>
  moments.reduce<ProcesslistMoment | null>(
    (best, moment) => (best === null || moment.active > best.active ? moment : best),
    null,
  )

export const momentId = (item: Pick<ProcesslistMoment, 'artifact' | 'snapshot'>) =>
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
