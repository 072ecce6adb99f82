/** State kept in this browser: rail open, inspector width, unsent drafts. */
import { useCallback, useState } from 'react'

/** Return a stored value and its setter. A null key stores nothing; the fallback removes the entry. */
export function useStored<T>(key: string | null, fallback: T): [T, (next: T) => void] {
  const [value, setValue] = useState<T>(() => {
    if (key === null) return fallback
    try {
      const name = localStorage.getItem(`pileup.${key}`)
      if (name === null) return fallback
      const known = JSON.parse(name) as T
      // A value stored by an older Pileup may lack a field.
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
        // Storage is unavailable: the value lasts until the page closes.
      }
    },
    [key, fallback],
  )
  return [value, set]
}

/** What people typed and did not send yet: forms (`draft.…`) and texts (see textDrafts). */
const DRAFTS = ['pileup.draft.', 'pileup.text|']

/** Remove every unsent draft from this browser, for whoever sits at it next. */
export function forgetDrafts(): void {
  for (const name of Object.keys(localStorage)) {
    if (DRAFTS.some((prefix) => name.startsWith(prefix))) localStorage.removeItem(name)
  }
}
