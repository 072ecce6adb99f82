/**
 * State outside of React: a value that any code may change and that components read with `useStore`. Server data belongs to TanStack Query, shareable choices to the URL.
 */
import { useSyncExternalStore } from 'react'

export class Store<T> {
  private readonly listeners = new Set<() => void>()

  constructor(private value: T) {}

  readonly get = (): T => this.value

  /** Set the value and notify the listeners, unless it is unchanged. */
  readonly set = (next: T): void => {
    if (Object.is(next, this.value)) return
    this.value = next
    for (const listen of this.listeners) listen()
  }

  /** Call `listen` after each change; return the function that unsubscribes. */
  readonly subscribe = (listen: () => void): (() => void) => {
    this.listeners.add(listen)
    return () => void this.listeners.delete(listen)
  }
}

/** Return the value of a store; the component renders again when it changes. */
export const useStore = <T>(store: Store<T>): T => useSyncExternalStore(store.subscribe, store.get)
