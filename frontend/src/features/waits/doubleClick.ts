/**
 * A double click on something that moves away under the pointer at its first click, because the
 * inspector opens and takes its share of the width: the browser's own `dblclick` would go elsewhere.
 */
const WITHIN_MS = 400
const WITHIN_PX = 5

type Click = { readonly clientX: number; readonly clientY: number }

/** Calls `act` when the next click comes soon and at the same place; nothing else sees that click. */
export function onSecondClick(first: Click, act: () => void) {
  const { clientX, clientY } = first
  const second = (event: MouseEvent) => {
    window.clearTimeout(timer)
    const away = Math.hypot(event.clientX - clientX, event.clientY - clientY)
    if (away > WITHIN_PX) return
    event.preventDefault()
    event.stopPropagation()
    act()
  }
  const options = { capture: true, once: true }
  window.addEventListener('click', second, options)
  const timer = window.setTimeout(
    () => window.removeEventListener('click', second, options),
    WITHIN_MS,
  )
}
