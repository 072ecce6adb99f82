import { cleanup, fireEvent, screen, within } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import type { Locator, Overview } from '@/api/schema'
import { renderScreen, serve } from '@/testing/render'
import { Blockers } from './Blockers'
import { Captures } from './Captures'
import { Story } from './Story'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const NUMBERS = { peak_waiters: 9 }
const numbered = (many: number) => Array.from({ length: many }, (_, at) => at)

it('lists the stalls that fit, the leading one always among them, and all on demand', async () => {
  const captures = numbered(9).map((at) => ({
    ...{ id: `c${at}`, host: `db-${at}`, verdict: at < 8 ? 'stall' : 'calm', text: `text ${at}` },
    ...{ first: '2026-11-20T22:00:00Z', last: '2026-11-20T22:09:00Z' },
    episodes: at < 8 ? [`e${at}`] : [],
  }))
  const episodes = captures.slice(0, 8).map((capture, at) => ({
    capture,
    thumbnail: null,
    episode: {
      ...{ id: `e${at}`, leading: at === 7, finding: 'f', headline: { story: '' } },
      stall: { onset: '2026-11-20T22:01:00Z', duration_s: 9, peak_waiters: at, peak_counts: '' },
      findings: [{ id: 'f', title: `cause ${at}` }],
    },
  }))
  serve({ '/incidents/i1/episodes': { episodes, from_s: 0, to_s: 9 } })
  const overview = { incident: { id: 'i1' }, captures, unanswered: [] } as unknown as Overview
  renderScreen(<Captures overview={overview} />, '/incidents/i1')
  const list = await screen.findByRole('list', { name: 'Stalls, aligned at their onset' })
  const shown = () => within(list).getAllByRole('listitem')
  expect(shown().map((row) => /db-\d/.exec(row.textContent)?.[0])).toEqual(
    [0, 1, 2, 3, 4, 7].map((at) => `db-${at}`),
  )
  expect(shown()[1]?.textContent).toContain('cause 1')
  expect(shown()[1]?.textContent).toContain('peak 1 waiters')
  expect(shown()[5]?.textContent).toContain('described on this page')
  fireEvent.click(screen.getByRole('button', { name: 'Show all captures (3 more)' }))
  expect(shown()).toHaveLength(8)
  const calm = screen.getByRole('list', { name: 'Captures without a stall' })
  expect(within(calm).getAllByRole('listitem')[0]?.textContent).toContain('calmtext 8')
})

it('shows the first four places of what a blocker is known by', async () => {
  const evidence = numbered(6).map(
    (at) => ({ kind: 'lines', artifact: 'a', path: `p${at}`, text: `line ${at}` }) as Locator,
  )
  const blocker = {
    ...{ id: 'b', kind: 'row_lock', holder: 'trx 7', time: null, first: null, last: null },
    ...{ blocks_total: 9, blocks_direct: 4, of: 3, persistence: 'Seen in 2 of 3', share: null },
    ...{ inferred: true, why: 'It holds the row.', evidence },
  }
  const overview = {
    ...{ incident: { id: 'i1' }, numbers: NUMBERS, blockers: [blocker], unanswered: [] },
  } as unknown as Overview
  renderScreen(<Blockers overview={overview} />, '/incidents/i1')
  const [row] = await screen.findAllByRole('listitem')
  if (!row) throw new Error('no blocker')
  expect(row.textContent).toContain('It holds the row. 9 blocked, 4 directly. Seen in 2 of 3.')
  expect(row.textContent).toContain('inferred')
  expect(within(within(row).getByRole('list')).getAllByRole('listitem')).toHaveLength(4)
})

it('shows two remedies, and the others below them', async () => {
  const fixes = numbered(4).map((at) => ({
    ...{ action: `KILL ${at}, and look`, command: at ? `KILL ${at}` : '', finding: 'f' },
    ...{ precondition: `check ${at}`, side_effects: `effect ${at}` },
  }))
  const story = { chain: [], fixes, impact: { sentences: ['It took 9 s.'] } }
  const overview = {
    ...{ story, roots: [], incident: { id: 'i1' }, numbers: NUMBERS },
    findings: [{ id: 'f', title: 'A cause' }],
  } as unknown as Overview
  renderScreen(<Story overview={overview} />, '/incidents/i1')
  const heading = await screen.findByRole('heading', { name: 'Fix now' })
  const [first, more] = within(heading.parentElement as HTMLElement).getAllByRole('list')
  expect(first?.children).toHaveLength(2)
  expect(more?.children).toHaveLength(2)
  expect(screen.getByText('2 more')).toBeTruthy()
  expect(first?.textContent).toContain('KILL 0, and lookCheck first: check 0Side effects: effect 0')
  expect(first?.children[1]?.textContent).toContain('KILL 1;')
  expect(first?.children[1]?.textContent).toContain('look')
  expect(screen.getByRole('link', { name: 'A cause' })).toBeTruthy()
})
