/** F6: the focus goes from part to part of the page, where the last control that had it there gets it again. */
import { useEffect } from 'react'

const PARTS = '.topbar, main, nav[aria-label], aside[aria-label]'
const CONTROLS =
  'a[href], button, input, select, textarea, summary, [contenteditable="true"], [tabindex="0"]'

/** The parts that are shown, in the order of what is to be focused in them. */
function partsOf(page: ParentNode): HTMLElement[] {
  const first = [...page.querySelectorAll<HTMLElement>(PARTS)].filter(isShown).flatMap((part) => {
    const control = firstControl(part)
    return control ? [{ part, control }] : []
  })
  const isBefore = (a: Element, b: Element) =>
    a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING
  return first.sort((a, b) => (isBefore(a.control, b.control) ? -1 : 1)).map(({ part }) => part)
}

const isShown = (element: HTMLElement) => element.checkVisibility?.() ?? true

const partOf = (element: Element | null) => element?.closest<HTMLElement>(PARTS) ?? null

/** The first control of a part that is in no part inside of it. */
function firstControl(part: HTMLElement): HTMLElement | null {
  const controls = [...part.querySelectorAll<HTMLElement>(CONTROLS)]
  return (
    controls.find(
      (each) =>
        partOf(each) === part && each.tabIndex >= 0 && !each.matches(':disabled') && isShown(each),
    ) ?? null
  )
}

/** Listen for F6 and Shift+F6, also in text fields; not under a dialog, which keeps the focus. */
export function usePartKeys(): void {
  useEffect(() => {
    const last = new WeakMap<HTMLElement, HTMLElement>()
    const onFocus = ({ target }: FocusEvent) => {
      const part = target instanceof HTMLElement ? partOf(target) : null
      if (part && target instanceof HTMLElement && target !== part) last.set(part, target)
    }
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'F6' || event.ctrlKey || event.altKey || event.metaKey) return
      if (document.querySelector('[role="dialog"], [role="menu"]')) return
      const parts = partsOf(document)
      const here = partOf(document.activeElement)
      const at = here ? parts.indexOf(here) : -1
      for (let step = 1; step <= parts.length; step += 1) {
        const by = event.shiftKey ? -step : step
        const from = at < 0 && event.shiftKey ? 0 : at
        const part = parts[(from + by + 2 * parts.length) % parts.length]
        const before = part && last.get(part)
        const control = before?.isConnected && isShown(before) ? before : part && firstControl(part)
        if (!control || part === here) continue
        event.preventDefault()
        control.focus()
        return
      }
    }
    document.addEventListener('focusin', onFocus)
    window.addEventListener('keydown', onKey)
    return () => {
      document.removeEventListener('focusin', onFocus)
      window.removeEventListener('keydown', onKey)
    }
  }, [])
}
