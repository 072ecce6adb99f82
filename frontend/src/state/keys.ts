/**
 * Keyboard shortcuts of a screen, declared as a table: the window listens to it, the key sheet and the
 * command palette show it, and a test checks that no key has two meanings on one screen.
 */
import { useEffect } from 'react'
import { useLatest } from '@/state/latest'
import { Store, useStore } from '@/state/store'

/** One shortcut, a line of the key sheet. */
type KeyLine = {
  /** Values of KeyboardEvent.key, letters in lower case: 'w', '[', ' ', 'Enter', 'Shift+n'. Any of them acts. */
  readonly keys: readonly string[]
  readonly does: string
  /** Set when the key acts only while that part has the focus; it then takes precedence. */
  readonly within?: string
}

/** The shortcuts of a screen, by the name of their action. */
export type KeyTable = Readonly<Record<string, KeyLine>>

/** An active shortcut; `run` is missing where only a focused part handles it. */
type ActiveKey = KeyLine & { readonly run?: () => void }

/** An action: the keyboard passes its event, the palette passes nothing. */
type Act = (event?: KeyboardEvent) => void

/**
 * Listen to the keys of `table` while the component is mounted. A line with `within` is only listed:
 * its part handles the key itself.
 *
 * Off in text fields, with Ctrl, Alt and Meta, under a dialog or menu, and where the user turned
 * single keys off. 'n' also matches Shift+n, unless the table has 'Shift+n'.
 */
export function useKeys<T extends KeyTable>(
  table: T,
  acts: { readonly [Name in keyof T]?: Act | undefined },
): void {
  const latest = useLatest(acts)
  useEffect(() => {
    const byKey = new Map<string, string>()
    for (const [name, line] of Object.entries(table)) {
      if (!line.within) for (const key of line.keys) byKey.set(key, name)
    }
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || !singleKeysOn() || isElsewhere(event)) return
      const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
      const name = (event.shiftKey && byKey.get(`Shift+${key}`)) || byKey.get(key)
      const act = name === undefined ? undefined : latest.current[name]
      if (!act || ((key === ' ' || key === 'Enter') && pressesSomething(event.target))) return
      event.preventDefault()
      act(event)
    }
    const keys = Object.entries(table).map(([name, line]): ActiveKey =>
      line.within ? line : { ...line, run: () => latest.current[name]?.() },
    )
    active.set([...active.get(), keys])
    window.addEventListener('keydown', onKey)
    return () => {
      window.removeEventListener('keydown', onKey)
      active.set(active.get().filter((item) => item !== keys))
    }
  }, [table, latest])
}

/** Return every key that the shown screen listens to. */
export function useActiveKeys(): readonly ActiveKey[] {
  return useStore(active).flat()
}

/** Return whether single keys act, and its setter; off for software that types letters (WCAG 2.1.4). */
export function useSingleKeys(): [boolean, (on: boolean) => void] {
  return [useStore(singleKeys), setSingleKeys]
}

/** Return whether a key press belongs to a text field, a dialog, a menu or the browser. */
export function isElsewhere(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return true
  return document.querySelector('[role="dialog"], [role="menu"]') !== null
}

/** Return whether key presses go to a text field. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  )
}

/** Return whether the focused element handles Space and Enter. */
function pressesSomething(target: EventTarget | null): boolean {
  return target instanceof Element && !!target.closest(PRESSED)
}

export function singleKeysOn(): boolean {
  try {
    return localStorage.getItem(OFF) === null
  } catch {
    return true
  }
}

/** List the keys with two meanings on one screen ('s: Zoom out; The callers'); empty when correct. */
export function clashes(...tables: readonly KeyTable[]): string[] {
  const seen = new Map<string, string[]>()
  for (const table of tables) {
    for (const line of Object.values(table)) {
      for (const key of line.keys) {
        const where = `${line.within ?? ''}\u0000${key}`
        seen.set(where, [...(seen.get(where) ?? []), line.does])
      }
    }
  }
  return [...seen]
    .filter(([, does]) => does.length > 1)
    .map(([where, does]) => `${where.split('\u0000')[1] ?? ''}: ${does.join('; ')}`)
}

const OFF = 'pileup.keys.off'
const PRESSED = 'button, a, summary, [role="treeitem"], [role="row"], [role="tab"]'
const active = new Store<readonly (readonly ActiveKey[])[]>([])
const singleKeys = new Store(singleKeysOn())

function setSingleKeys(on: boolean) {
  try {
    if (on) localStorage.removeItem(OFF)
    else localStorage.setItem(OFF, '1')
  } catch {
    // Storage is unavailable: the keys stay on.
  }
  singleKeys.set(singleKeysOn())
}
