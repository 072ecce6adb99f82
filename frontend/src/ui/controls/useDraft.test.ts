import { act, renderHook } from '@testing-library/react'
import { expect, it } from 'vitest'
import { useDraft } from './useDraft'

it('follows the server until somebody types, and then keeps what was typed', () => {
  const { result, rerender } = renderHook(({ value }) => useDraft(value), {
    initialProps: { value: 'Ada' },
  })
  rerender({ value: 'Bob' })
  expect(result.current).toMatchObject({ shown: 'Bob', typed: null })
  act(() => result.current.type('Cy'))
  rerender({ value: 'Dan' })
  expect(result.current).toMatchObject({ shown: 'Cy', typed: 'Cy' })
  rerender({ value: 'Cy' })
  expect(result.current.typed).toBeNull()
  act(() => result.current.drop())
  rerender({ value: 'Eve' })
  expect(result.current.shown).toBe('Eve')
})
