import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderScreen } from '@/testing/render'
import { GroupInspector } from './GroupInspector'
import type { Group } from './words'

it('lists the thread that was followed first, and at most a hundred', async () => {
  const threads = Array.from({ length: 102 }, (_, at) => ({
    ...{ pthread: `p${at}`, lwp: 1000 + at, name: at === 101 ? 'followed' : null },
  }))
  const group = {
    ...{ name: 'fsync', count: 102, threads, artifact: 'a'.repeat(64), activity: 'waits' },
    ...{
      line_first: 1,
      line_last: 9,
      meaning: null,
      frames: [],
      waits_on: [],
      verdict: null,
      signature: null,
      category: null,
    },
  } as unknown as Group
  renderScreen(
    <GroupInspector
      {...{ incidentId: 'i1', group, path: 'p', time: '2026-11-20T22:00:00Z', thread: 'p101' }}
      onClose={() => undefined}
      onFrame={() => undefined}
    />,
    '/incidents/i1/stacks',
  )
  const links = await screen.findAllByTestId('thread-waits')
  expect(links).toHaveLength(100)
  expect(links.slice(0, 3).map((link) => link.textContent)).toEqual(['p101', 'p0', 'p1'])
  expect(links[0]?.closest('li')?.textContent).toBe('p101 LWP 1101 followed')
  expect(screen.getByText('100 of them; the thread list has all.')).toBeTruthy()
  expect(screen.getByText('102 threads with this stack')).toBeTruthy()
})
