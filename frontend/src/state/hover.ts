/** One hovered instant and one hovered thing for all views; never in the URL. */
import { useSyncExternalStore } from 'react'

export type Hover = {
  /** Epoch milliseconds. */
  readonly at: number | null
  /** Entity id: thread, trx, latch, stack. */
  readonly entity: string | null
}

let hover: Hover = { at: null, entity: null }
const listeners = new Set<() => void>()

/** Changes what is hovered; other fields stay. */
export function setHover(next: Partial<Hover>): void {
  const merged = { ...hover, ...next }
  if (merged.at === hover.at && merged.entity === hover.entity) return
  hover = merged
  for (const listen of listeners) listen()
}

export function useHover(): Hover {
  return useSyncExternalStore(subscribe, () => hover)
}

function subscribe(listen: () => void) {
  listeners.add(listen)
  return () => {
    listeners.delete(listen)
  }
}
