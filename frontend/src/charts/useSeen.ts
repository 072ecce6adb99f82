/** Whether an element has come into view, so that what lies below the fold loads when it is needed. */
import { useCallback, useState, type RefCallback } from 'react'

const CAN_WATCH = 'IntersectionObserver' in globalThis

export function useSeen<T extends Element>(): [RefCallback<T>, boolean] {
  const [seen, setSeen] = useState(!CAN_WATCH)
  const ref = useCallback((element: T | null) => {
    if (!element || !CAN_WATCH) return
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return
      setSeen(true)
      observer.disconnect()
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [ref, seen]
}
