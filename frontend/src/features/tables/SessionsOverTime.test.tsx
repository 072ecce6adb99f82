import { fireEvent, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { ProcesslistMoment } from '@/api/schema'
import { renderScreen, serve } from '@/testing/render'
import { SessionsOverTime } from './SessionsOverTime'

const moment = (snapshot: number) =>
  ({
    ...{ artifact: 'a', snapshot, sessions: 9, active: 3 },
    time: `2026-11-20T22:00:0${snapshot}Z`,
  }) as unknown as ProcesslistMoment

it('goes to the moment before and after with the arrow keys, but not with Ctrl', async () => {
  serve({})
  const gone: (ProcesslistMoment | undefined)[] = []
  const [before, at, after] = [moment(1), moment(2), moment(3)]
  renderScreen(
    <SessionsOverTime
      split={{ by: 'state', idle: false, q: '' }}
      {...{ moments: [before, at, after], moment: at, before, after, group: '' }}
      onGo={(to) => gone.push(to)}
      onGroup={() => undefined}
    />,
    '/incidents/i1/tables',
  )
  const group = await screen.findByRole('group', { name: 'Moments of processlists' })
  fireEvent.keyDown(group, { key: 'ArrowLeft' })
  fireEvent.keyDown(group, { key: 'ArrowRight' })
  fireEvent.keyDown(group, { key: 'ArrowRight', ctrlKey: true })
  expect(gone).toEqual([before, after])
})
