/** The difference between two texts, line by line. */
import { diffArrays } from 'diff'

type DiffLine = { readonly mark: ' ' | '-' | '+'; readonly line: string }

/** Time limit of a diff: two long texts without a common line would block the page. */
const PATIENCE_MS = 500

/** Return the lines of both texts in order: equal ' ', removed '-', added '+'. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const [old, now] = [linesOf(before), linesOf(after)]
  const changes = diffArrays(old, now, { timeout: PATIENCE_MS }) ?? [
    { value: old, removed: true, added: false },
    { value: now, removed: false, added: true },
  ]
  return changes.flatMap(({ value, added, removed }) => {
    const mark = added ? '+' : removed ? '-' : ' '
    return value.map((line): DiffLine => ({ mark, line }))
  })
}

/** Shorten runs of more than 2 × `around` equal lines; null marks omitted lines. */
export function folded(lines: readonly DiffLine[], around = 3): (DiffLine | null)[] {
  const near = new Set<number>()
  lines.forEach(({ mark }, at) => {
    if (mark === ' ') return
    for (let k = at - around; k <= at + around; k++) near.add(k)
  })
  const out: (DiffLine | null)[] = []
  lines.forEach((line, at) => {
    if (near.has(at)) out.push(line)
    else if (out.at(-1) !== null) out.push(null)
  })
  return out
}

const linesOf = (text: string) => (text === '' ? [] : text.split('\n'))
