/** Every test starts from an empty page. */
import { cleanup } from '@testing-library/react'
import { afterEach } from 'vitest'

class NoResize implements ResizeObserver {
  observe = () => undefined
  unobserve = () => undefined
  disconnect = () => undefined
}
globalThis.ResizeObserver ??= NoResize
Element.prototype.scrollIntoView ??= () => undefined

afterEach(cleanup)
