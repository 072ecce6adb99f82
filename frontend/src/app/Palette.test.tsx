import { fireEvent, screen, waitFor } from '@testing-library/react'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { renderScreen, serve } from '@/testing/render'
import { hrefOf } from './found'
import { Palette } from './Palette'
import { SCREENS } from './Shell'

class Silent {
  observe = () => undefined
  unobserve = () => undefined
  disconnect = () => undefined
}

beforeAll(() => {
  // jsdom lays nothing out, so it has neither.
  Element.prototype.scrollIntoView = () => undefined
  globalThis.ResizeObserver ??= Silent as unknown as typeof ResizeObserver
})

describe('the palette', () => {
  it('opens by Ctrl+K and by /, and does what is chosen', async () => {
    const copyLink = vi.fn()
    renderScreen(
      <Palette
        here={{
          id: 'i1',
          screens: SCREENS,
          acts: { showKeys: vi.fn(), copyLink, nameView: vi.fn() },
        }}
      />,
      '/incidents/i1/timeline',
    )
    fireEvent.keyDown(document.body, { key: '/' })
    expect(await screen.findByRole('dialog', { name: 'Search or run a command' })).toBeTruthy()
    fireEvent.keyDown(document.activeElement ?? document.body, { key: 'Escape' })
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())

    fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true })
    const input = await screen.findByPlaceholderText(/A session/)
    fireEvent.change(input, { target: { value: 'copy link' } })
    fireEvent.click(await screen.findByText('Copy a link to this view'))
    await waitFor(() => expect(copyLink).toHaveBeenCalledOnce())
  })
})

const FOUND = {
  kind: 'session',
  id: '197 0123456789abcdef0123:2',
  title: 'Session 197 · shop · Waiting for table metadata lock',
  hint: 'alter table orders',
  at: null,
  incident_id: 'i1',
  incident: 'Checkout',
  score: 4,
} as const

describe('the search', () => {
  it('lists the results of this incident before those of others, in the order of the server', async () => {
    let answerHere = (_: readonly unknown[]): void => undefined
    const here = new Promise((resolve) => (answerHere = resolve))
    serve({
      '/incidents/i1/views': [],
      '/incidents/i1/search': here,
      '/search': [
        { ...FOUND, title: 'the same' },
        { ...FOUND, incident_id: 'i2', incident: 'Refunds', title: 'Session 197 · other' },
      ],
    })
    renderScreen(
      <Palette
        here={{
          id: 'i1',
          screens: SCREENS,
          acts: { showKeys: vi.fn(), copyLink: vi.fn(), nameView: vi.fn() },
        }}
      />,
      '/incidents/i1/timeline',
    )
    fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true })
    fireEvent.change(await screen.findByPlaceholderText(/A session/), { target: { value: '197' } })
    await screen.findByText('Refunds')
    answerHere([FOUND, { ...FOUND, id: '1970 a:0', title: 'Session 1970' }])
    await screen.findByText('Session 1970')
    // the first line is chosen, also where the search in this incident answers last
    await waitFor(() =>
      expect(screen.getByRole('option', { selected: true }).textContent).toContain('197 · shop'),
    )
    const items = screen.getAllByRole('option').map((item) => item.textContent)
    expect(items).toEqual([
      'sessionSession 197 · shop · Waiting for table metadata lockalter table orders',
      'sessionSession 1970alter table orders',
      'sessionSession 197 · otherRefunds',
    ])
  })

  it('leaves to the server which words are too short, and says what it needs', async () => {
    const answers: Record<string, unknown> = { '/search': [] }
    serve(answers)
    renderScreen(<Palette here={null} />, '/')
    fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true })
    const input = await screen.findByPlaceholderText(/A session/)
    fireEvent.change(input, { target: { value: 'q7' } })
    expect(
      await screen.findByText(/^No match for “q7”. Across incidents, .* three letters or digits/),
    ).toBeTruthy()
    answers['/search'] = [FOUND]
    fireEvent.change(input, { target: { value: '锁' } })
    expect(await screen.findByText(FOUND.title)).toBeTruthy()
  })

  it('opens a result where it is shown, with the range that all screens share', () => {
    const found = { ...FOUND, kind: 'hypothesis', id: 'h1' } as const
    expect(hrefOf(found, '?start=1&end=2&at=3')).toBe(
      '/incidents/i1/hypotheses?start=1&end=2&hypothesis=h1',
    )
    const view = { ...FOUND, kind: 'view', id: 'v1', hint: 'waits?at=worst' } as const
    expect(hrefOf(view, '?start=1')).toBe('/incidents/i1/waits?at=worst')
    expect(hrefOf(FOUND, '')).toBe(
      '/incidents/i1/tables?tab=sessions&at=0123456789abcdef%3A2&idle=1&q=197',
    )
  })
})
