/** How many uploads of this page are not done. Apart from their queue, whose code is heavy. */
import { useSyncExternalStore } from 'react'

let count = 0
const listeners = new Set<() => void>()

/** Told by the queue. */
export function tellUnderWay(next: number): void {
  if (next === count) return
  count = next
  for (const listen of listeners) listen()
}

/** The stopped ones count, too. */
export function useUploadsUnderWay(): number {
  return useSyncExternalStore(subscribe, () => count)
}

function subscribe(listen: () => void): () => void {
  listeners.add(listen)
  return () => {
    listeners.delete(listen)
  }
}
