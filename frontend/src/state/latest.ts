/** The latest value for listeners that are bound once. */
import { type RefObject, useLayoutEffect, useRef } from 'react'

/** Keep a reference to the latest value, set before the paint: an event must act on what the screen shows. */
export function useLatest<T>(value: T): Readonly<RefObject<T>> {
  const latest = useRef(value)
  useLayoutEffect(() => {
    latest.current = value
  })
  return latest
}
