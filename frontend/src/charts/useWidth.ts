/** The width of an element in CSS pixels, as it changes; also when it is mounted later. */
import { useCallback, useRef, useState, type RefCallback } from 'react'

export function useWidth<T extends HTMLElement>(fallback = 0): [RefCallback<T>, number] {
  const [width, setWidth] = useState(fallback)
  const observer = useRef<ResizeObserver | null>(null)
  const ref = useCallback((element: T | null) => {
    observer.current?.disconnect()
    if (!element) return
    setWidth((before) => element.clientWidth || before)
    observer.current = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.round(entry.contentRect.width))
    })
    observer.current.observe(element)
  }, [])
  return [ref, width]
}
