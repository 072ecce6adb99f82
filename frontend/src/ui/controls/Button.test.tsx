import { fireEvent, render, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { Button } from './Button'
import { SearchInput } from './SearchInput'

it('keeps the keyboard while it refuses, and refuses', () => {
  const act = vi.fn()
  const { rerender } = render(<Button onClick={act}>Worst</Button>)
  const button = screen.getByRole<HTMLButtonElement>('button')
  button.focus()
  rerender(
    <Button onClick={act} disabled>
      Worst
    </Button>,
  )
  expect(button.disabled).toBe(false)
  expect(button.getAttribute('aria-disabled')).toBe('true')
  fireEvent.click(button)
  expect(act).not.toHaveBeenCalled()
  fireEvent.blur(button)
  expect(button.disabled).toBe(true)
})

it('submits no form while it refuses', () => {
  const submit = vi.fn((event: Event) => event.preventDefault())
  render(
    <form onSubmit={(event) => submit(event.nativeEvent)}>
      <Button type="submit" busy>
        Save
      </Button>
    </form>,
  )
  const button = screen.getByRole('button')
  fireEvent.focus(button)
  fireEvent.click(button)
  expect(submit).not.toHaveBeenCalled()
})

it('shows what is typed before its words follow', () => {
  const search = vi.fn()
  render(<SearchInput aria-label="Search" value="" onSearch={search} />)
  const field = screen.getByRole<HTMLInputElement>('searchbox')
  fireEvent.change(field, { target: { value: 'l' } })
  fireEvent.change(field, { target: { value: `${field.value}a` } })
  expect(field.value).toBe('la')
  expect(search.mock.calls).toEqual([['l'], ['la']])
  fireEvent.blur(field)
  expect(field.value).toBe('')
})
