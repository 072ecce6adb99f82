import { fireEvent, screen, waitFor } from '@testing-library/react'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { renderScreen } from '@/testing/render'
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
        incidentId="i1"
        screens={SCREENS}
        acts={{ showKeys: vi.fn(), copyLink, nameView: vi.fn() }}
      />,
      '/incidents/i1/timeline',
    )
    fireEvent.keyDown(document.body, { key: '/' })
    expect(await screen.findByRole('dialog', { name: 'Search or run a command' })).toBeTruthy()
    fireEvent.keyDown(document.activeElement ?? document.body, { key: 'Escape' })
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())

    fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true })
    const input = await screen.findByPlaceholderText(/A command/)
    fireEvent.change(input, { target: { value: 'copy link' } })
    fireEvent.click(await screen.findByText('Copy a link to this view'))
    await waitFor(() => expect(copyLink).toHaveBeenCalledOnce())
  })
})

describe('what the search found', () => {
  it('opens where it is shown, with the range that all screens share', () => {
    const found = { kind: 'hypothesis', id: 'h1', title: 'AHI', hint: 'active' } as const
    expect(hrefOf('/incidents/i1', found, '?start=1&end=2&at=3')).toBe(
      '/incidents/i1/hypotheses?start=1&end=2&hypothesis=h1',
    )
    const view = { kind: 'view', id: 'v1', title: 'Onset', hint: 'waits?at=worst' } as const
    expect(hrefOf('/incidents/i1', view, '?start=1')).toBe('/incidents/i1/waits?at=worst')
  })
})
