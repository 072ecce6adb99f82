/** Start every test from an empty page; add what jsdom lacks. */
import { cleanup, configure } from '@testing-library/react'
import { afterEach, beforeEach } from 'vitest'

class NoResize implements ResizeObserver {
  observe = () => undefined
  unobserve = () => undefined
  disconnect = () => undefined
}
globalThis.ResizeObserver ??= NoResize
Element.prototype.scrollIntoView ??= () => undefined

// The first render of a screen takes seconds on a busy machine.
configure({ asyncUtilTimeout: 10_000 })

/** Remove what a test of this file, or of one that ran before in the same worker, left in the page. */
function emptyPage(): void {
  cleanup()
  document.body.replaceChildren()
}

beforeEach(emptyPage)
afterEach(emptyPage)
