import { act, render, screen } from '@testing-library/react'
import { createBrowserRouter, RouterProvider } from 'react-router'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  exactAddress,
  list,
  number,
  oneOf,
  sharedSearch,
  text,
  useResolvedDefaults,
  useUrlState,
} from './url'

function Probe() {
  const [line, setLine] = useUrlState('line', number, 0)
  const [series, setSeries] = useUrlState('series', list, [])
  const [tab, setTab] = useUrlState('tab', oneOf(['raw', 'receipt'] as const), 'raw')
  const [words] = useUrlState('q', text, '')
  return (
    <>
      <output>{JSON.stringify({ line, series, tab, words })}</output>
      <button
        onClick={() => {
          setLine(12)
          setSeries(['a b', 'c&d'])
          setTab('receipt')
        }}
      >
        set
      </button>
      <button
        onClick={() => {
          setLine(null)
          setTab('raw')
        }}
      >
        clear
      </button>
    </>
  )
}

const settle = () => act(() => new Promise((done) => setTimeout(done, 20)))
const shown = () => JSON.parse(screen.getByRole('status').textContent) as Record<string, unknown>

async function open(address: string) {
  window.history.replaceState(null, '', address)
  render(<RouterProvider router={createBrowserRouter([{ path: '*', element: <Probe /> }])} />)
  await settle()
}

function Standing() {
  useResolvedDefaults({ at: '2026-11-20T22:17:13Z', sample: null, q: 'not this' })
  return null
}

describe('the address of exactly this view', () => {
  it('writes out what is left to a default while the screen is shown', () => {
    window.history.replaceState(null, '', '/waits?q=mine')
    expect(exactAddress()).toBe('/waits?q=mine')
    const { unmount } = render(<Standing />)
    expect(exactAddress({ node: 'a b' })).toBe('/waits?q=mine&at=2026-11-20T22%3A17%3A13Z&node=a+b')
    unmount()
    window.history.replaceState(null, '', '/waits')
    expect(exactAddress()).toBe('/waits')
  })
})

describe('view state in the URL', () => {
  beforeEach(() => window.history.replaceState(null, '', '/'))
  it('is read from the address, and nonsense counts as absent', async () => {
    await open('/x?line=abc&series=a&series=b&tab=evil&q=hello%20world')
    expect(shown()).toEqual({ line: 0, series: ['a', 'b'], tab: 'raw', words: 'hello world' })
  })
  it('keeps every change of one handler, and other keys', async () => {
    await open('/x?q=keep')
    act(() => screen.getByText('set').click())
    await settle()
    expect(shown()).toEqual({ line: 12, series: ['a b', 'c&d'], tab: 'receipt', words: 'keep' })
    const params = new URLSearchParams(window.location.search)
    expect(params.getAll('series')).toEqual(['a b', 'c&d'])
  })
  it('does not write what is the fallback', async () => {
    await open('/x?line=3&tab=receipt')
    act(() => screen.getByText('clear').click())
    await settle()
    expect(window.location.search).toBe('')
  })
  it('carries range and zone from screen to screen, and nothing else', () => {
    expect(sharedSearch('?start=1&end=2&tz=local&line=9&to=12', { at: '3' })).toBe(
      '?start=1&end=2&tz=local&at=3',
    )
    expect(sharedSearch('?line=9')).toBe('')
  })
})
