import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderScreen, serve } from '@/testing/render'
import StacksScreen from './StacksScreen'

const choices = { captures: [], hosts: [], has_baseline: false, has_stall: true }
const show = (runs: readonly object[]) => {
  serve({
    '/incidents/i1/stacks/moments': [],
    '/incidents/i1/compare/choices': { ...choices, runs },
    '/incidents/i1/artifacts': { items: [] },
  })
  renderScreen(<StacksScreen />, '/incidents/i1/stacks')
}

it('stacks of a run are not those of the incident, and the empty screen says where they are', async () => {
  show([
    { id: 'e1', number: 1, title: 'AHI off', artifacts: 3 },
    { id: 'e2', number: 2, title: 'no files yet', artifacts: 0 },
  ])
  await screen.findByText(/The files of run 1 are compared with the incident in/)
  const link = screen.getByRole('link', { name: 'Compare' }).getAttribute('href') ?? ''
  const search = new URL(link, 'http://pileup').searchParams
  expect(search.get('tab')).toBe('stacks')
  expect(search.getAll('side')).toHaveLength(2)
  expect(search.getAll('side')[1]).toContain('e1')
})

it('without runs the empty screen says what to collect', async () => {
  show([])
  await screen.findByText(/Collect one with pt-stalk/)
  expect(screen.queryByRole('link', { name: 'Compare' })).toBeNull()
})
