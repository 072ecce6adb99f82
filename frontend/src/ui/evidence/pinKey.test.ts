import { beforeEach, expect, it } from 'vitest'
import { pinOfChosen } from './pinKey'

const row = (name: string, more = '') =>
  `<div role="row" tabindex="0" id="${name}" ${more}><button data-pin id="pin-${name}"></button></div>`

beforeEach(() => {
  document.body.innerHTML = ''
})

const pinned = (focused = '') =>
  pinOfChosen(document, focused ? document.getElementById(focused) : null)?.id ?? null

it('pins the row that has the focus, before the one that is chosen', () => {
  document.body.innerHTML = row('a') + row('b', 'aria-selected="true"')
  expect(pinned('a')).toBe('pin-a')
  expect(pinned()).toBe('pin-b')
})

it('pins what the inspector shows', () => {
  document.body.innerHTML = `${row('a')}<aside class="inspector"><button data-pin id="whole"></button><ul><li><button data-pin id="edge"></button></li></ul></aside>`
  expect(pinned()).toBe('whole')
  expect(pinned('edge')).toBe('edge')
})

it('does not guess among several', () => {
  document.body.innerHTML = row('a') + row('b')
  expect(pinned()).toBe(null)
  document.body.innerHTML = row('a')
  expect(pinned()).toBe('pin-a')
})
