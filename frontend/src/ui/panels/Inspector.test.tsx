import { render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { Inspector } from './Inspector'

function Rows() {
  const [open, setOpen] = useState('')
  return (
    <main>
      {['one', 'two'].map((row) => (
        <button key={row} onClick={() => setOpen(row)}>
          {row}
        </button>
      ))}
      {open && (
        <Inspector title={`About ${open}`} onClose={() => setOpen('')}>
          <a href="/x">source</a>
        </Inspector>
      )}
    </main>
  )
}

test('closed from inside, the row chosen last has the focus again', async () => {
  const user = userEvent.setup()
  render(<Rows />)
  await user.click(screen.getByText('one'))
  await user.click(screen.getByText('two'))
  await user.tab()
  await user.tab()
  await user.tab()
  expect(document.activeElement).toBe(screen.getByText('source'))
  await user.keyboard('{Escape}')
  expect(screen.queryByText('About two')).toBeNull()
  expect(document.activeElement).toBe(screen.getByText('two'))
})

test('the arrow keys make it wider to the left and narrower to the right', async () => {
  const user = userEvent.setup()
  render(<Rows />)
  await user.click(screen.getByText('one'))
  const edge = screen.getByRole('separator', { name: 'Width of the inspector' })
  const width = () => Number(edge.getAttribute('aria-valuenow'))
  const before = width()
  edge.focus()
  await user.keyboard('{ArrowLeft}')
  const wider = width()
  await user.keyboard('{ArrowRight}')
  expect(wider).toBeGreaterThan(before)
  expect(width()).toBe(before)
})
