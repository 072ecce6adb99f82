/** The marks of the chart of active sessions: the onset, and the turning points of the story. */
import type { StallDoc, StoryMark } from '@/api/schema'
import type { Interval } from '@/charts/range'

export type ChartMark = {
  readonly at: number
  readonly kind: StoryMark['kind'] | 'onset'
  readonly text: string
}

/** The onset is marked unless the trigger is as near; a longer time than this apart is another. */
const SAME_MS = 3_000

/** The marks inside `range`, in time order. What began before the chart is at its left edge. */
export function chartMarks(
  turns: readonly StoryMark[],
  stall: Pick<StallDoc, 'onset'> | null,
  range: Interval,
): readonly ChartMark[] {
  const marks: ChartMark[] = turns.map(({ at, kind, text }) => {
    const time = Date.parse(at)
    const isBefore = time < range[0] && kind !== 'end'
    return { at: isBefore ? range[0] : time, kind, text: isBefore ? `← ${text}` : text }
  })
  const onset = stall ? Date.parse(stall.onset) : null
  if (
    onset !== null &&
    !marks.some(({ at, kind }) => kind !== 'end' && Math.abs(at - onset) < SAME_MS)
  )
    marks.push({ at: onset, kind: 'onset', text: 'onset' })
  return marks
    .filter(({ at }) => at >= range[0] && at <= range[1])
    .sort((first, second) => first.at - second.at)
}

/** Pixels of a letter, about. */
const LETTER = 6

/** Whether a label goes to the left of its line: outside of the stall if there is room. */
export function labelIsLeft(
  kind: ChartMark['kind'],
  text: string,
  x: number,
  width: number,
): boolean {
  const room = text.length * LETTER + 12
  return kind === 'end' ? x + room > width : x > room
}
