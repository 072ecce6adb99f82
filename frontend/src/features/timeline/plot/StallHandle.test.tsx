import { fireEvent, screen } from '@testing-library/react'
import { createRef } from 'react'
import { expect, it } from 'vitest'
import { renderScreen } from '@/testing/render'
import { StallHandle } from './StallHandle'
import type { TimelineView } from './view'

const view = { whole: [0, 60_000], x: (at: number) => at } as unknown as TimelineView

it('moves an edge earlier and later with the arrow keys, further with Shift', async () => {
  const steps: number[] = []
  renderScreen(
    <StallHandle
      ref={createRef()}
      {...{ view, which: 'onset', host: 'db-1', at: 30_000, shift: 0, row: null }}
      onStep={(by) => steps.push(by)}
      onDrag={() => undefined}
      onDrop={() => undefined}
    />,
    '/incidents/i1/timeline',
  )
  const handle = await screen.findByRole('slider')
  expect(handle.getAttribute('aria-label')).toContain('of db-1')
  expect(handle.getAttribute('aria-valuenow')).toBe('30000')
  for (const key of ['ArrowLeft', 'ArrowRight', 'ArrowUp']) fireEvent.keyDown(handle, { key })
  fireEvent.keyDown(handle, { key: 'ArrowLeft', shiftKey: true })
  fireEvent.keyDown(handle, { key: 'ArrowRight', shiftKey: true })
  expect(steps).toEqual([-1000, 1000, -10_000, 10_000])
})
