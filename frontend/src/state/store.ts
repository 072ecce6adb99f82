/**
 * The one mechanism for state outside of React: a value that any code may change, and that
 * components follow with `useStore`. Server data belongs to TanStack Query, shareable choices to the URL.
 */
import { useSyncExternalStore } from 'react'

export class Store<T> {
  private readonly listeners = new Set<() => void>()

  constructor(private value: T) {}

  readonly get = (): T => this.value

  /** Tells of it, unless it is the value that was there. */
  readonly set = (next: T): void => {
    if (Object.is(next, this.value)) return
    this.value = next
    for (const listen of this.listeners) listen()
  }

  /** Calls `listen` after each change; gives the way out. */
  readonly subscribe = (listen: () => void): (() => void) => {
    this.listeners.add(listen)
    return () => void this.listeners.delete(listen)
  }
}

/** The value, in a component that is drawn again when it changes. */
export const useStore = <T>(store: Store<T>): T => useSyncExternalStore(store.subscribe, store.get)
