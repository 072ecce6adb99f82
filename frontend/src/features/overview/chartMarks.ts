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

const roomOf = (text: string) => text.length * LETTER + 12

/** A mark with its place: its label is beside its line, in a row that none is in yet. */
type PlacedMark = ChartMark & {
  readonly x: number
  readonly isLeft: boolean
  /** From the top; the line begins there too. */
  readonly row: number
}

type Label = { readonly mark: ChartMark; readonly x: number; readonly isLeft: boolean }

/** Give each label a row, in the order in which no line of a row above runs through it. */
export function placeMarks(
  marks: readonly ChartMark[],
  xOf: (at: number) => number,
  width: number,
): readonly PlacedMark[] {
  let waiting: readonly Label[] = marks.map((mark) => {
    const x = xOf(mark.at)
    return { mark, x, isLeft: labelIsLeft(mark.kind, mark.text, x, width) }
  })
  const placed: PlacedMark[] = []
  while (waiting.length > 0) {
    // Where each of some labels would have to be above the other, one of them changes its side.
    const ways = [waiting, ...waiting.map((label, at) => turned(waiting, label, at, width))]
    const way = ways.find((labels) => labels.some((label) => isFree(label, labels))) ?? waiting
    const next = way.find((label) => isFree(label, way)) ?? way[0]
    if (!next) break
    placed.push({ ...next.mark, x: next.x, isLeft: next.isLeft, row: placed.length })
    waiting = way.filter((label) => label !== next)
  }
  return placed
}

/** Whether the line of a label runs through none of the others, which come below it. */
const isFree = (label: Label, labels: readonly Label[]) =>
  labels.every((other) => other === label || !covers(other, label.x))

function covers({ mark, x, isLeft }: Label, at: number): boolean {
  const far = x + (isLeft ? -1 : 1) * roomOf(mark.text)
  return at >= Math.min(x, far) && at <= Math.max(x, far)
}

/** The labels with one of them on the other side of its line, if it has room there. */
function turned(labels: readonly Label[], label: Label, at: number, width: number) {
  const room = label.isLeft ? width - label.x : label.x
  if (room < roomOf(label.mark.text)) return labels
  return labels.map((each, place) => (place === at ? { ...each, isLeft: !each.isLeft } : each))
}

/** Whether a label goes to the left of its line: outside of the stall if there is room. */
function labelIsLeft(kind: ChartMark['kind'], text: string, x: number, width: number): boolean {
  const room = roomOf(text)
  return kind === 'end' ? x + room > width : x > room
}
