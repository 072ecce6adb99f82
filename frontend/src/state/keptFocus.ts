/**
 * Keyboard focus after its element disappears: the next moment lacks the node, a chart changes shape,
 * an inspector closes. Focus then moves to the nearest focusable element that remains, instead of to
 * the start of the page.
 */
import { useEffect } from 'react'
import { useLocation } from 'react-router'

/** The single Tab stop of a part whose items the arrow keys walk. */
const STOP =
  '[data-node-id][tabindex="0"], [role="treeitem"][tabindex="0"], [role="row"][tabindex="0"]'

/** Keep keyboard focus inside the page part with this id while mounted. */
export function useKeptFocus(id: string): void {
  useEffect(() => {
    const part = document.getElementById(id)
    return part ? keepFocus(part) : undefined
  }, [id])
}

/**
 * Focus the page part with this id when a link, a form or the Back button led here and removed the
 * focused element. The first page of a visit stays unfocused: Tab starts at its skip link.
 */
export function useLandingFocus(id: string): void {
  const { key, pathname } = useLocation()
  const isFirst = key === 'default'
  useEffect(() => {
    if (isFirst || document.activeElement !== document.body) return
    document.getElementById(id)?.focus({ preventScroll: true })
  }, [id, isFirst, pathname])
}

export function keepFocus(part: HTMLElement): () => void {
  /** The focused element and its ancestors, up to the part. */
  let chain: readonly Element[] = []
  const onFocus = ({ target }: FocusEvent) => {
    chain = target instanceof Element ? chainOf(target, part) : []
  }
  const onBlur = () => {
    // A blur may mean that the element was removed: only a mutation of the page tells.
    queueMicrotask(() => {
      if (chain[0]?.isConnected && document.activeElement !== chain[0]) chain = []
    })
  }
  const watch = new MutationObserver(() => {
    const [gone] = chain
    if (!gone || gone.isConnected || document.activeElement !== document.body) return
    successor(chain)?.focus()
  })
  part.addEventListener('focusin', onFocus)
  part.addEventListener('focusout', onBlur)
  watch.observe(part, { childList: true, subtree: true })
  return () => {
    part.removeEventListener('focusin', onFocus)
    part.removeEventListener('focusout', onBlur)
    watch.disconnect()
  }
}

/** Find the nearest remaining element that can take the focus; null when there is none. */
function successor(chain: readonly Element[]): HTMLElement | null {
  for (const item of chain) {
    if (!item.isConnected || !(item instanceof HTMLElement)) continue
    const stop = item.querySelector<HTMLElement>(STOP)
    if (stop) return stop
    if (item.hasAttribute('tabindex')) return item
  }
  return null
}

function chainOf(from: Element, part: Element): Element[] {
  const chain: Element[] = []
  for (let at: Element | null = from; at; at = at === part ? null : at.parentElement) chain.push(at)
  return chain
}
