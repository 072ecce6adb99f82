import { afterEach, expect, it } from 'vitest'
import { keepFocus } from './keptFocus'

let end: (() => void) | undefined
afterEach(() => end?.())

/** A screen with a graph of which the arrows walk the nodes, and an inspector beside it. */
function screen(): HTMLElement {
  document.body.innerHTML = `
    <main tabindex="-1">
      <div id="graph">
        <button data-node-id="root" tabindex="0">root</button>
        <button data-node-id="waiter" tabindex="-1">waiter</button>
      </div>
      <aside><button id="close">Close</button></aside>
      <p><button id="other">Other</button></p>
    </main>`
  const main = document.querySelector('main')
  if (!main) throw new Error('no main')
  end = keepFocus(main)
  return main
}
const at = (id: string) => document.querySelector<HTMLElement>(id)
const settled = () => new Promise((resolve) => setTimeout(resolve))

it('goes on from the one that can be reached beside what went', async () => {
  screen()
  at('[data-node-id="waiter"]')?.focus()
  at('[data-node-id="waiter"]')?.remove()
  await settled()
  expect(document.activeElement).toBe(at('[data-node-id="root"]'))
})

it('goes back to the picture when the inspector closes', async () => {
  screen()
  at('#close')?.focus()
  at('aside')?.remove()
  await settled()
  expect(document.activeElement).toBe(at('[data-node-id="root"]'))
})

it('stands on the screen where nothing else is left', async () => {
  const main = screen()
  at('#close')?.focus()
  main.replaceChildren(document.createElement('p'))
  await settled()
  expect(document.activeElement).toBe(main)
})

it('leaves alone what somebody left, and what had no keyboard', async () => {
  screen()
  at('#close')?.focus()
  at('#close')?.blur()
  await settled()
  at('aside')?.remove()
  await settled()
  expect(document.activeElement).toBe(document.body)
})
