/** The width of an element in CSS pixels, as it changes. */
import { useLayoutEffect, useRef, useState, type RefObject } from 'react'

export function useWidth<T extends HTMLElement>(fallback = 0): [RefObject<T | null>, number] {
  const ref = useRef<T>(null)
  const [width, setWidth] = useState(fallback)
  useLayoutEffect(() => {
    const element = ref.current
    if (!element) return
    setWidth(element.clientWidth || fallback)
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.round(entry.contentRect.width))
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [fallback])
  return [ref, width]
}
