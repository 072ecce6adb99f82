/** The theme: light, dark or the system setting; stored in this browser. */
import { Store, useStore } from '@/state/store'

export type Theme = 'system' | 'light' | 'dark'
const KEY = 'pileup.theme'
const theme = new Store(current())

export function useTheme(): [Theme, (next: Theme) => void] {
  return [useStore(theme), set]
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
    // Storage is unavailable: the choice lasts until the page closes.
  }
  theme.set(next)
}
