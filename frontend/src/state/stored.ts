/** A small preference of this browser: rail open, inspector width, a draft. */
import { useCallback, useState } from 'react'

export function useStored<T>(key: string, fallback: T): [T, (next: T) => void] {
  const [value, setValue] = useState<T>(() => {
    try {
      const kept = localStorage.getItem(`pileup.${key}`)
      return kept === null ? fallback : (JSON.parse(kept) as T)
    } catch {
      return fallback
    }
  })
  const set = useCallback(
    (next: T) => {
      setValue(next)
      try {
        localStorage.setItem(`pileup.${key}`, JSON.stringify(next))
      } catch {
        // Storage is off: the value lasts until the page goes.
      }
    },
    [key],
  )
  return [value, set]
}
