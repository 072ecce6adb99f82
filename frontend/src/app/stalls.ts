/** The captures and stalls of an incident that a person can choose among. */
import type { Overview, StallDoc } from '@/api/schema'

export type Choice = {
  /** In the address: the id of the stall; of a capture without one, the capture's. */
  readonly id: string
  readonly stall: StallDoc | null
  readonly host: string | null
  readonly start: string
  readonly end: string
  readonly leading: boolean
  readonly text: string
}

const MARGIN_MS = 15_000

/** Every stall in time order, and each capture that has none. */
export function choicesOf({ captures, stalls }: Pick<Overview, 'captures' | 'stalls'>): Choice[] {
  const own = captures.flatMap((capture): Choice[] => {
    const { id, host, first, last, episodes, text } = capture
    const inside = stalls.filter((stall) => stall.kind === 'stall' && stall.capture === id)
    const named = inside.flatMap((stall, at): Choice[] => {
      const episode = episodes[at]
      const [start, end] = around(stall)
      return episode ? [{ id: episode, stall, host, start, end, leading: stall.leading, text }] : []
    })
    if (named.length > 0) return named
    return first && last
      ? [{ id, stall: null, host, start: first, end: last, leading: false, text }]
      : []
  })
  return own.sort((a, b) => a.start.localeCompare(b.start))
}

/** The stall with a third of its length, at least 15 s, on both sides. */
function around(stall: StallDoc): readonly [string, string] {
  const onset = Date.parse(stall.onset)
  const end = stall.end ? Date.parse(stall.end) : onset + (stall.duration_s ?? 60) * 1000
  const margin = Math.max(MARGIN_MS, (end - onset) / 3)
  return [new Date(onset - margin).toISOString(), new Date(end + margin).toISOString()]
}
