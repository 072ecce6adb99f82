/** p: pins what is chosen, by the "Pin as evidence" that stands for it on the screen. */
import type { KeyTable } from '@/state/keys'

export const PIN_KEYS = {
  pin: { keys: ['p'], does: 'Pin as evidence what is chosen' },
} as const satisfies KeyTable

/** What one chooses: a row, a list entry, the head of a lane. */
const ONE = '[role="row"], li, .tl-head-in'
const PIN = 'button[data-pin]:not(:disabled)'
/** In this order: the open inspector, the chosen lane, the chosen row. */
const CHOSEN = ['.inspector', '.tl-active', '[aria-selected="true"]']

/** The button that pins what has the focus or is chosen; the only one there is; else null. */
export function pinOfChosen(root: ParentNode, focused: Element | null): HTMLElement | null {
  const own = focused?.closest(ONE)?.querySelector<HTMLElement>(PIN)
  if (own) return own
  for (const part of CHOSEN) {
    const element = root.querySelector<HTMLElement>(`${part} ${PIN}`)
    if (element) return element
  }
  const all = root.querySelectorAll<HTMLElement>(PIN)
  return all.length === 1 ? (all[0] ?? null) : null
}
