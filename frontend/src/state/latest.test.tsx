import { render } from '@testing-library/react'
import { useLayoutEffect } from 'react'
import { expect, test } from 'vitest'
import { useLatest } from './latest'

test('before the paint the latest value is there, so that no event meets an old one', () => {
  const seen: string[] = []
  function Listener({ value }: { readonly value: string }) {
    const latest = useLatest(value)
    useLayoutEffect(() => {
      seen.push(latest.current)
    })
    return null
  }
  const { rerender } = render(<Listener value="nothing chosen" />)
  rerender(<Listener value="a mark" />)
  expect(seen).toEqual(['nothing chosen', 'a mark'])
})
