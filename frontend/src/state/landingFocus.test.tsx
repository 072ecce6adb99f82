import { render, screen } from '@testing-library/react'
import { createMemoryRouter, Link, RouterProvider } from 'react-router'
import { expect, it } from 'vitest'
import { useLandingFocus } from './keptFocus'

function Page() {
  useLandingFocus('canvas')
  return <main id="canvas" tabIndex={-1} />
}

it('focuses the page after a step that removed what had the focus', async () => {
  const router = createMemoryRouter(
    [
      { path: '/form', element: <Link to="/page">Sign in</Link> },
      { path: '/page', element: <Page /> },
    ],
    { initialEntries: ['/form'] },
  )
  render(<RouterProvider router={router} />)
  const link = screen.getByText('Sign in')
  link.focus()
  link.click()
  expect(await screen.findByRole('main')).toBe(document.activeElement)
})

it('leaves the first page of a visit alone', () => {
  const router = createMemoryRouter([{ path: '/', element: <Page /> }])
  render(<RouterProvider router={router} />)
  expect(screen.getByRole('main')).toBeTruthy()
  expect(document.activeElement).toBe(document.body)
})
