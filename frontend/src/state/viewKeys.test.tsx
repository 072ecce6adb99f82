import { fireEvent, render, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { useActiveKeys } from './keys'
import { useViewKeys } from './viewKeys'

function Screen({ show }: { readonly show: (view: string) => void }) {
  useViewKeys(['graph', 'tree'], { graph: 'Graph', tree: 'Tree' }, show)
  return <p>{useActiveKeys().map((key) => `${key.keys[0] ?? ''} ${key.does}; `)}</p>
}

it('digits show the views in their order, and the sheet tells them', () => {
  const show = vi.fn()
  render(<Screen show={show} />)
  expect(screen.getByText('1 View: Graph; 2 View: Tree;')).toBeTruthy()
  fireEvent.keyDown(document.body, { key: '2' })
  fireEvent.keyDown(document.body, { key: '3' })
  expect(show.mock.calls).toEqual([['tree']])
})
