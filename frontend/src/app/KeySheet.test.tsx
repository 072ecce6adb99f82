import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { useState } from 'react'
import { describe, expect, it } from 'vitest'
import { renderScreen } from '@/testing/render'
import { type KeyTable, useKeys } from '@/state/keys'
import { KeySheet } from './KeySheet'
import { SCREENS } from './Shell'

function Sheet({ path }: { readonly path: string }) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <input aria-label="Filter" />
      {path === 'timeline' && <Listening />}
      <KeySheet path={path} screens={SCREENS} open={open} onOpenChange={setOpen} />
    </>
  )
}
function Listening() {
  useKeys(TABLE, {})
  return null
}
const TABLE = { zoom: { keys: ['w', ' '], does: 'Zoom in' } } as const satisfies KeyTable
const sheet = (path: string) => <Sheet path={path} />

describe('the sheet of keys', () => {
  it('opens by ?, tells the keys of this screen and of all, and closes by Escape', async () => {
    renderScreen(sheet('timeline'), '/incidents/i1/timeline')
    fireEvent.keyDown(document.body, { key: '?', shiftKey: true })
    const dialog = within(await screen.findByRole('dialog', { name: 'Keys' }))
    expect(dialog.getByText('Zoom in')).toBeTruthy()
    expect(dialog.getByText('Space')).toBeTruthy()
    for (const item of SCREENS) expect(dialog.getAllByText(item.name).length).toBeGreaterThan(0)
    fireEvent.keyDown(document.activeElement ?? document.body, { key: 'Escape' })
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  })

  it('opens from the rail, also on a screen without keys of its own', async () => {
    renderScreen(sheet('report'), '/incidents/i1/report')
    fireEvent.click(screen.getByRole('button', { name: 'Keys (?)' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Keys' }))
    expect(dialog.getByRole('heading', { name: 'Everywhere' })).toBeTruthy()
    expect(dialog.queryByRole('heading', { name: 'Report' })).toBeNull()
  })

  it('leaves ? to text fields and to the browser', () => {
    renderScreen(sheet('timeline'), '/incidents/i1/timeline')
    fireEvent.keyDown(screen.getByLabelText('Filter'), { key: '?', shiftKey: true })
    fireEvent.keyDown(document.body, { key: '?', ctrlKey: true })
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  it('can turn single keys off, for people whose software types letters', async () => {
    renderScreen(sheet('timeline'), '/incidents/i1/timeline')
    fireEvent.click(screen.getByRole('button', { name: 'Keys (?)' }))
    fireEvent.click(await screen.findByRole('checkbox', { name: /Single-key shortcuts/ }))
    fireEvent.keyDown(document.activeElement ?? document.body, { key: 'Escape' })
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    fireEvent.keyDown(document.body, { key: '?', shiftKey: true })
    expect(screen.queryByRole('dialog')).toBeNull()
    localStorage.clear()
  })
})
