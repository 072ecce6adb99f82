/** What this browser keeps: rail open, inspector width, what somebody typed and did not send yet. */
import { useCallback, useState } from 'react'

/** key: null keeps nothing. What is set to its fallback again is forgotten. */
export function useStored<T>(key: string | null, fallback: T): [T, (next: T) => void] {
  const [value, setValue] = useState<T>(() => {
    if (key === null) return fallback
    try {
      const name = localStorage.getItem(`pileup.${key}`)
      if (name === null) return fallback
      const known = JSON.parse(name) as T
      // What an older Pileup kept may lack a field.
      return typeof fallback === 'object' ? { ...fallback, ...known } : known
    } catch {
      return fallback
    }
  })
  const set = useCallback(
    (next: T) => {
      setValue(next)
      if (key === null) return
      try {
        const text = JSON.stringify(next)
        if (text === JSON.stringify(fallback)) localStorage.removeItem(`pileup.${key}`)
        else localStorage.setItem(`pileup.${key}`, text)
      } catch {
        // Storage is off: the value lasts until the page goes.
      }
    },
    [key, fallback],
  )
  return [value, set]
}
