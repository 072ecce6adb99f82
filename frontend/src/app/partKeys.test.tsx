import { render } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { beforeEach, expect, test } from 'vitest'
import { usePartKeys } from './partKeys'

function Page() {
  usePartKeys()
  return (
    <>
      <header className="topbar">
        <button>Search</button>
      </header>
      <main>
        <button disabled>Off</button>
        <nav aria-label="Sections">
          <button>Summary</button>
        </nav>
        <textarea aria-label="Text" />
        <button>Later</button>
        <aside aria-label="Inspector">
          <button>Close</button>
        </aside>
      </main>
    </>
  )
}

const here = () =>
  document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent

beforeEach(() => {
  render(<Page />)
})

test('F6 goes round the parts of the page, also from a text', async () => {
  const user = userEvent.setup()
  const seen = []
  for (let step = 0; step < 5; step += 1) {
    await user.keyboard('{F6}')
    seen.push(here())
  }
  expect(seen).toEqual(['Search', 'Summary', 'Text', 'Close', 'Search'])
  await user.keyboard('{Shift>}{F6}{/Shift}')
  expect(here()).toBe('Close')
})

test('a part gets the focus back where it was', async () => {
  const user = userEvent.setup()
  await user.click(document.querySelectorAll('main > button')[1] as Element)
  await user.keyboard('{F6}')
  expect(here()).toBe('Close')
  await user.keyboard('{Shift>}{F6}{/Shift}')
  expect(here()).toBe('Later')
})
