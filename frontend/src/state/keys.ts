/**
 * The keys of a screen, told as a table: the window listens by it, the sheet of keys and the command
 * palette show it, and a test holds that no key means two things on one screen.
 */
import { useEffect, useLayoutEffect, useRef } from 'react'
import { Store, useStore } from '@/state/store'

/** One line of the sheet. */
type KeyLine = {
  /** As KeyboardEvent.key has it, letters small: 'w', '[', ' ', 'Enter', 'Shift+n'. Any of them. */
  readonly keys: readonly string[]
  readonly does: string
  /** Set when the key acts only while that part has the focus; it then wins over the others. */
  readonly within?: string
}

/** The lines of a screen, by the name of what they do. */
export type KeyTable = Readonly<Record<string, KeyLine>>

/** A key that listens now; `run` is missing where only a focused part acts on it. */
type ActiveKey = KeyLine & { readonly run?: () => void }

/** Given the event by the keyboard and nothing by the palette. */
type Act = (event?: KeyboardEvent) => void

/**
 * Listens to the keys of `table` while the component is shown. A line with `within` is only told:
 * its part listens itself.
 *
 * Off in text fields, with Ctrl, Alt and Meta, under a dialog or menu, and where a person turned
 * single keys off. 'n' answers to Shift+n too, unless the table has 'Shift+n'.
 */
export function useKeys<T extends KeyTable>(
  table: T,
  acts: { readonly [Name in keyof T]?: Act | undefined },
): void {
  const latest = useRef(acts)
  // Before it is painted: a key speaks of what stands on the screen.
  useLayoutEffect(() => {
    latest.current = acts
  })
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
  }, [table])
}

/** Every key that the shown screen listens to. */
export function useActiveKeys(): readonly ActiveKey[] {
  return useStore(active).flat()
}

/** Whether single keys act; off for people whose software types letters (WCAG 2.1.4). */
export function useSingleKeys(): [boolean, (on: boolean) => void] {
  return [useStore(singleKeys), setSingleKeys]
}

/** Whether a key press belongs to a text field, a dialog, a menu, or the browser. */
export function isElsewhere(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return true
  return document.querySelector('[role="dialog"], [role="menu"]') !== null
}

/** Whether keys belong to a text field now. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  )
}

/** Whether Space and Enter belong to what has the focus. */
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

/** The keys of a screen that mean two things at once: 's: Zoom out; The callers'. None is right. */
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
    // Storage is off: the keys stay on.
  }
  singleKeys.set(singleKeysOn())
}
