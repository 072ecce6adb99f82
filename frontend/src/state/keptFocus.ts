/**
 * What has the keyboard may go from the page: the next moment has no such node, a picture takes
 * another shape, an inspector closes. The keyboard then goes on from what stands nearest to it
 * rather than from the beginning of the page.
 */
import { useEffect } from 'react'

/** The one stop of the Tab key in a part whose items the arrows walk. */
const STOP =
  '[data-node-id][tabindex="0"], [role="treeitem"][tabindex="0"], [role="row"][tabindex="0"]'

/** Watches a part of the page, by its id, while mounted. */
export function useKeptFocus(id: string): void {
  useEffect(() => {
    const part = document.getElementById(id)
    return part ? keepFocus(part) : undefined
  }, [id])
}

export function keepFocus(part: HTMLElement): () => void {
  /** What has the keyboard, and all that it stands in up to the part. */
  let chain: readonly Element[] = []
  const onFocus = ({ target }: FocusEvent) => {
    chain = target instanceof Element ? chainOf(target, part) : []
  }
  const onBlur = () => {
    // Left, rather than gone from the page: that is known when the page has been changed.
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

/** Of what is left, the nearest that can have the keyboard. */
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
