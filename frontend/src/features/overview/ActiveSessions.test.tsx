import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { ActiveSessionsDoc } from '@/api/schema'
import { renderScreen } from '@/testing/render'
import { ActiveSessions } from './ActiveSessions'

it('says in words what the chart shows, the largest class first', async () => {
  const classes = [
    ['few', 0.04],
    ['most', 0.5],
    ['some', 0.21],
    ['least', 0.01],
    ['more', 0.24],
  ].map(([title, share]) => ({
    ...{ id: `${title}`, title: `${title}`, waits: true, share, seconds: 1, values: [1, 2, 1] },
  }))
  const sessions = {
    times: ['2026-11-20T22:00:00Z', '2026-11-20T22:00:01Z', '2026-11-20T22:00:02Z'],
    ...{ level: [1, 2, 1], classes, peak: 12.4, seconds: 4, notes: [], throughput: null },
  } as unknown as ActiveSessionsDoc
  renderScreen(
    <ActiveSessions {...{ sessions, stall: null, turns: [], gaps: [] }} />,
    '/incidents/i1',
  )
  const chart = await screen.findByRole('img', { name: /^Active sessions over time/u })
  expect(chart.getAttribute('aria-label')).toBe(
    'Active sessions over time, at most 12: most 50%, more 24%, some 21%, few 4%',
  )
})
