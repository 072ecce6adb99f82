/** One hovered instant and one hovered thing for all views; never in the URL. */
import { Store, useStore } from '@/store'

export type Hover = {
  /** Epoch milliseconds. */
  readonly at: number | null
  /** Entity id: thread, trx, latch, stack. */
  readonly entity: string | null
}

const hover = new Store<Hover>({ at: null, entity: null })

/** Changes what is hovered; other fields stay. */
export function setHover(next: Partial<Hover>): void {
  const before = hover.get()
  const merged = { ...before, ...next }
  if (merged.at !== before.at || merged.entity !== before.entity) hover.set(merged)
}

export function useHover(): Hover {
  return useStore(hover)
}
