/** Every test starts from an empty page. */
import { cleanup, configure } from '@testing-library/react'
import { afterEach } from 'vitest'

class NoResize implements ResizeObserver {
  observe = () => undefined
  unobserve = () => undefined
  disconnect = () => undefined
}
globalThis.ResizeObserver ??= NoResize
Element.prototype.scrollIntoView ??= () => undefined

// A screen's first render takes seconds where two cores do much else.
configure({ asyncUtilTimeout: 10_000 })

afterEach(cleanup)
