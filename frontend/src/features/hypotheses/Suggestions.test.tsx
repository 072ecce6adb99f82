import { fireEvent, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderScreen, serve } from '@/testing/render'
import { Suggestions } from './Suggestions'

const suggested = (id: string) => ({
  verdict: 'open',
  finding: { id, title: `finding ${id}`, why: 'why', score: 0.5 },
})

it('goes from one suggestion to the next with the arrows, and dismisses with Delete', async () => {
  serve({ '/incidents/i1/findings': ['a', 'b', 'c'].map(suggested) })
  renderScreen(<Suggestions incidentId="i1" onMade={() => undefined} />, '/incidents/i1/hypotheses')
  const items = await screen.findAllByTestId('suggestion')
  const press = (key: string) => fireEvent.keyDown(document.activeElement as Element, { key })
  items[0]?.focus()
  press('ArrowDown')
  expect(document.activeElement).toBe(items[1])
  press('ArrowDown')
  press('ArrowDown') // it stays at the end
  expect(document.activeElement).toBe(items[2])
  press('ArrowUp')
  expect(document.activeElement).toBe(items[1])
  press('Delete')
  expect(items[1]?.querySelector('input, textarea')).toBeTruthy()
  expect(items[0]?.querySelector('input, textarea')).toBeNull()
})
