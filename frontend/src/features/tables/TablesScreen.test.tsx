import { screen } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { renderScreen } from '@/testing/render'
import TablesScreen from './TablesScreen'

vi.mock('./SessionsTab', () => ({ SessionsTab: () => 'the sessions' }))
vi.mock('./SettingsTab', () => ({ SettingsTab: () => 'the variables' }))

describe('TablesScreen', () => {
  it('opens on the sessions, one click from every screen', async () => {
    renderScreen(<TablesScreen />, '/incidents/i1/tables')
    expect(await screen.findByText('the sessions')).toBeTruthy()
    expect(screen.getByRole('tab', { name: 'Server settings' })).toBeTruthy()
    expect(screen.queryByRole('tab', { name: 'Settings' })).toBeNull()
  })
  it('still opens an old address of two sources of settings', async () => {
    renderScreen(<TablesScreen />, '/incidents/i1/tables?a=x&b=y')
    expect(await screen.findByText('the variables')).toBeTruthy()
  })
})
