/** Light, dark, or as the system has it; kept in this browser. */
import { useSyncExternalStore } from 'react'

export type Theme = 'system' | 'light' | 'dark'
const KEY = 'pileup.theme'
const listeners = new Set<() => void>()

export function useTheme(): [Theme, (next: Theme) => void] {
  return [useSyncExternalStore(subscribe, current), set]
}

function current(): Theme {
  const chosen = document.documentElement.dataset['theme']
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system'
}

function set(next: Theme) {
  if (next === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = next
  try {
    if (next === 'system') localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, next)
  } catch {
    // Storage is off: the choice lasts until the page goes.
  }
  for (const listen of listeners) listen()
}

function subscribe(listen: () => void) {
  listeners.add(listen)
  return () => {
    listeners.delete(listen)
  }
}
