import { fireEvent, render } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { clashes, type KeyTable, useActiveKeys, useKeys } from './keys'

const TABLE = {
  zoom: { keys: ['w'], does: 'Zoom in' },
  note: { keys: ['n'], does: 'Note' },
  range: { keys: ['Shift+n'], does: 'Note on the range' },
  callers: { keys: ['c'], does: 'Its callers', within: 'On a frame' },
} as const satisfies KeyTable

function Screen(acts: Partial<Record<keyof typeof TABLE, () => void>>) {
  useKeys(TABLE, acts)
  return (
    <>
      <input aria-label="Filter" />
      <p>{useActiveKeys().map((key) => `${key.keys[0] ?? ''}${key.run ? '!' : ''} `)}</p>
    </>
  )
}

describe('the keys of a screen', () => {
  it('act while the screen is shown, with and without Shift', () => {
    const acts = { zoom: vi.fn(), note: vi.fn(), range: vi.fn(), callers: vi.fn() }
    const { unmount } = render(<Screen {...acts} />)
    fireEvent.keyDown(document.body, { key: 'w' })
    fireEvent.keyDown(document.body, { key: 'W', shiftKey: true })
    fireEvent.keyDown(document.body, { key: 'n' })
    fireEvent.keyDown(document.body, { key: 'N', shiftKey: true })
    fireEvent.keyDown(document.body, { key: 'c' })
    expect(acts.zoom).toHaveBeenCalledTimes(2)
    expect(acts.note).toHaveBeenCalledTimes(1)
    expect(acts.range).toHaveBeenCalledTimes(1)
    expect(acts.callers).not.toHaveBeenCalled() // its part listens itself
    unmount()
    fireEvent.keyDown(document.body, { key: 'w' })
    expect(acts.zoom).toHaveBeenCalledTimes(2)
  })

  it('leave text fields, modifiers and open dialogs alone', () => {
    const zoom = vi.fn()
    const { getByLabelText } = render(<Screen zoom={zoom} />)
    fireEvent.keyDown(getByLabelText('Filter'), { key: 'w' })
    fireEvent.keyDown(document.body, { key: 'w', ctrlKey: true })
    const dialog = document.createElement('div')
    dialog.setAttribute('role', 'dialog')
    document.body.append(dialog)
    fireEvent.keyDown(document.body, { key: 'w' })
    dialog.remove()
    expect(zoom).not.toHaveBeenCalled()
  })

  it('are told to the sheet and the palette, those of a part without a way to run them', () => {
    const { container } = render(<Screen />)
    expect(container.querySelector('p')?.textContent).toBe('w! n! Shift+n! c ')
  })
})

describe('clashes', () => {
  it('are keys with two meanings in one place; a focused part may have its own', () => {
    const other = { down: { keys: ['w'], does: 'Down' }, up: { keys: ['c'], does: 'Up' } }
    expect(clashes(TABLE)).toEqual([])
    expect(clashes(TABLE, other)).toEqual(['w: Zoom in; Down'])
  })
})
