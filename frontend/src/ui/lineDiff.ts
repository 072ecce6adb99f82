/** What differs between two texts, line by line. */

export type DiffLine = { readonly mark: ' ' | '-' | '+'; readonly line: string }

/**
 * Patience diff in O(n log n): lines that are unique in both texts hold the two together in the
 * longest order that both share; between them equal heads and tails stay, the rest is taken out
 * and put in. Two runs of repeated lines may come out longer than they need.
 */
export function lineDiff(before: string, after: string): DiffLine[] {
  const a = before === '' ? [] : before.split('\n')
  const b = after === '' ? [] : after.split('\n')
  const out: DiffLine[] = []
  let i = 0
  let j = 0
  for (const [x, y] of [...anchors(a, b), [a.length, b.length] as const]) {
    between(out, a.slice(i, x), b.slice(j, y))
    const line = a[x]
    if (line !== undefined) out.push({ mark: ' ', line })
    i = x + 1
    j = y + 1
  }
  return out
}

/** Runs of more equal lines than twice `around` made short; null stands for what is left out. */
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

function between(out: DiffLine[], a: readonly string[], b: readonly string[]): void {
  const least = Math.min(a.length, b.length)
  let head = 0
  while (head < least && a[head] === b[head]) head++
  let tail = 0
  while (tail < least - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++
  const put = (mark: DiffLine['mark'], lines: readonly string[]) => {
    for (const line of lines) out.push({ mark, line })
  }
  put(' ', a.slice(0, head))
  put('-', a.slice(head, a.length - tail))
  put('+', b.slice(head, b.length - tail))
  put(' ', a.slice(a.length - tail))
}

/** Places in both of unique common lines, rising in both. */
function anchors(a: readonly string[], b: readonly string[]): (readonly [number, number])[] {
  const inB = unique(b)
  const pairs = [...unique(a)].flatMap(([line, x]) => {
    const y = inB.get(line)
    return y === undefined ? [] : [[x, y] as const]
  })
  // The longest rising run of y (pairs are in the order of x), by piles.
  const tops: number[] = []
  const before: (number | undefined)[] = []
  pairs.forEach(([, y], at) => {
    let low = 0
    let high = tops.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((pairs[tops[middle] ?? 0]?.[1] ?? 0) < y) low = middle + 1
      else high = middle
    }
    before[at] = tops[low - 1]
    tops[low] = at
  })
  const found: (readonly [number, number])[] = []
  for (let at = tops.at(-1); at !== undefined; at = before[at]) {
    const pair = pairs[at]
    if (pair) found.push(pair)
  }
  return found.reverse()
}

/** Lines that occur once, with their place, in order. */
function unique(lines: readonly string[]): Map<string, number> {
  const places = new Map<string, number>()
  const again = new Set<string>()
  lines.forEach((line, at) => {
    if (places.has(line)) again.add(line)
    else places.set(line, at)
  })
  for (const line of again) places.delete(line)
  return places
}
