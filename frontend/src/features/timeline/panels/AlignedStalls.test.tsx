import { screen, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderScreen, serve } from '@/testing/render'
import { AlignedStalls } from './AlignedStalls'

const thumbnail = (peak: number) => ({
  series: 'mysql.Threads_running@db-1',
  baseline: 3,
  peak,
  points: [
    [-20, 3],
    [0, peak],
  ],
})
const capture = { id: 'c1', first: '2026-11-20T22:00:00Z', verdict: 'calm' }

it('shows the incident and each run on one scale, also a run without a stall', async () => {
  serve({
    '/incidents/i1/episodes': {
      ...{ captures: [], recurrence: null, from_s: -20, to_s: 40, calm: [] },
      episodes: [
        {
          episode: { id: 'e1', stall: { duration_s: 96 } },
          ...{ capture, onset: '2026-11-20T22:01:00Z', thumbnail: thumbnail(200) },
        },
      ],
    },
    '/incidents/i1/runs': [
      {
        ...{ experiment_id: 'x', number: 2, title: 'Patched', verdict: 'match' },
        failed_same_way: 'not_failed',
        episodes: {
          ...{ captures: [capture], recurrence: null, from_s: 0, to_s: 10, episodes: [] },
          calm: [{ capture, thumbnail: { ...thumbnail(100), baseline: null } }],
        },
      },
    ],
  })
  renderScreen(<AlignedStalls incidentId="i1" />, '/incidents/i1/timeline')
  const run = await screen.findByRole('region', { name: 'Run 2: Patched (match)' })
  expect(run.textContent).toContain('no stall')
  const path = within(run).getByRole('img').querySelector('path')?.getAttribute('d') ?? ''
  // half as high as the incident's peak of the same series: the middle of 2 to 72
  expect(path).toContain('37')
  expect(screen.getByRole('region', { name: 'Incident' }).textContent).toMatch(/96\s*s/u)
})
