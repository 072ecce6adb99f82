import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderScreen } from '@/testing/render'
import { Happened } from './Happened'

const AT = '2026-11-20T22:30:00Z'
const RECORDED = '2026-11-21T09:15:00Z'

function show(at: string | null, recorded: string | null, by?: 'recorded') {
  renderScreen(
    <p data-testid="when">
      <Happened at={at} precision="exact" recorded={recorded} by={by} />
    </p>,
    '/',
  )
  return screen.getByTestId('when').textContent
}

it('says when it happened, and when that was recorded', () => {
  expect(show(AT, RECORDED)).toMatch(/22:30:00.*\(recorded .*09:15/)
})

it('says only when it was recorded where nobody gave another time', () => {
  const text = show(null, RECORDED)
  expect(text).toMatch(/09:15/)
  expect(text).not.toMatch(/recorded/)
})

it('says when it was recorded where that is asked for', () => {
  expect(show(AT, RECORDED, 'recorded')).not.toMatch(/22:30/)
})

it('claims no time of recording for what is only planned', () => {
  const text = show(AT, null)
  expect(text).toMatch(/22:30:00/)
  expect(text).not.toMatch(/recorded/)
})

it('shows a dash for what has no time yet', () => {
  expect(show(null, null)).toBe('–')
})
