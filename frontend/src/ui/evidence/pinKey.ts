/** Key p: press the "Pin as evidence" button of the selection. */
import type { KeyTable } from '@/state/keys'

export const PIN_KEYS = {
  pin: { keys: ['p'], does: 'Pin the selection as evidence' },
} as const satisfies KeyTable

/** Selectable items: a row, a list entry, the head of a lane. */
const ITEM = '[role="row"], li, .tl-head-in'
const PIN = 'button[data-pin]:not(:disabled)'
/** Where to look for the button, in order: the open inspector, the selected lane, the selected row. */
const CHOSEN = ['.inspector', '.tl-active', '[aria-selected="true"]']

/** Find the pin button of the focused or selected item, or the only one on the screen; else null. */
export function pinOfChosen(root: ParentNode, focused: Element | null): HTMLElement | null {
  const own = focused?.closest(ITEM)?.querySelector<HTMLElement>(PIN)
  if (own) return own
  for (const part of CHOSEN) {
    const element = root.querySelector<HTMLElement>(`${part} ${PIN}`)
    if (element) return element
  }
  const all = root.querySelectorAll<HTMLElement>(PIN)
  return all.length === 1 ? (all[0] ?? null) : null
}
