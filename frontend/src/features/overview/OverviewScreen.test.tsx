import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { FindingDoc, Locator, Overview } from '@/api/schema'
import { renderScreen, serve } from '@/testing/render'
import OverviewScreen from './OverviewScreen'

afterEach(() => vi.unstubAllGlobals())

const SHA = 'ab'.repeat(32)
const lines: Locator = {
  kind: 'lines',
  artifact: SHA,
  path: 'status.txt',
  line_first: 812,
  line_last: 840,
  ranges: [],
  series: null,
  start: null,
  end: null,
  at: null,
  node: null,
  setting: null,
  text: '300 of 300 waiters want one row',
}
const finding: FindingDoc = {
  id: 'hot-row',
  category: 'row_locks',
  title: 'Long row-lock waits behind one transaction',
  score: 0.94,
  why: 'One transaction holds what 300 wait for.',
  evidence: [lines],
  against: [],
  applies_to_version: 'yes',
  fixed_in: [],
  mitigations: [
    { action: 'KILL the blocker', command: null, side_effects: 'Rollback', precondition: null },
  ],
  verdict: 'found',
  role: 'problem',
  explained_by: null,
  impact: 0.8,
  impact_range: [0.7, 0.9],
  known_as: [],
  chain: { trigger: '', holder: '', victims: '', end: '', statement: '' },
  next_step: '',
  experiment: null,
  references: [],
  explanation: '',
  signs: [],
  verified: true,
  verified_by: '',
  episodes: [],
}
const incident = {
  id: 'i1',
  title: 'Checkout stall',
  status: 'open' as const,
  severity: null,
  service: null,
  summary: '',
  owner: null,
  sample_id: null,
  visibility: 'open' as const,
  created_at: '2021-04-05T10:00:00Z',
  updated_at: '2021-04-05T10:00:00Z',
  revision: 1,
  archived: false,
}
const base: Overview = {
  incident,
  headline: {
    verdict: 'stall',
    text: 'Stall on db-1 for 96 s.',
    cause: '',
    next_step: '',
    arrival: '',
    story: '',
  },
  story: null,
  captures: [],
  active_sessions: null,
  active_gaps: [],
  roots: [],
  recurrence: null,
  analysis: { state: 'done', started_at: null, finished_at: null, engine: '1', error: null },
  server: { family: 'mysql', version: '8.0.15', title: 'MySQL 8.0.15' },
  numbers: {
    onset: '2021-04-05T09:30:52Z',
    duration_s: 96,
    peak_waiters: 391,
    peak_counts: 'waiting',
    peak_at: '2021-04-05T09:31:20Z',
    root_blocker: {
      label: 'trx 8812431',
      blocks_total: 388,
      share: 0.992,
      is_one_of_several: false,
    },
    coverage: 0.987,
  },
  stalls: [],
  findings: [finding],
  absences: [],
  looked_at: null,
  blockers: [],
  triage: [],
  shifts: [],
  hot_waits: [],
  hot_latches: [],
  hot_stacks: [],
  deadlocks: [],
  deadlock_patterns: [],
  limits: [],
  clocks: [],
  gaps: [],
  artifacts: { total: 3, done: 3, problems: 0, failed: 0, unknown: 0, parsing: 0 },
  unanswered: [],
  shown_stall: null,
  stale_pins: 0,
}
const server = (overview: Overview) => ({
  '/incidents/i1/overview': overview,
  '/incidents/i1': incident,
  '/incidents/i1/findings': [{ finding, verdict: 'open', reason: null }],
  '/incidents/i1/actions': [
    {
      id: 'c1',
      incident_id: 'i1',
      text: 'Raise the limit',
      owner: '',
      due: '2026-12-01',
      status: 'open',
      experiment_id: 'e2',
      experiment_number: 2,
      experiment_verdict: null,
      revision: 1,
    },
    { id: 'c2', text: 'Done already', owner: 'Ann', due: null, status: 'done', revision: 1 },
  ],
  '/incidents/i1/artifacts': {
    items: [{ id: 'a1', sha256: SHA, path: 'status.txt', name: 'status.txt' }],
  },
  'POST /incidents/i1/findings/hot-row/hypothesis': { id: 'h1' },
})
const open = (overview: Overview, role?: string) => {
  const calls = serve(server(overview))
  renderScreen(<OverviewScreen />, '/incidents/i1/overview?tz=incident', role)
  return calls
}

describe('overview', () => {
  it('shows the actions that are open, with who and until when', async () => {
    open(base)
    await screen.findByText('Raise the limit')
    screen.getByText('no owner · due 2026-12-01 · verified by experiment 2')
    expect(screen.queryByText('Done already')).toBeNull()
    screen.getByText(/1 done or dropped/)
  })

  it('pins a pattern without a match', async () => {
    const absent = { id: 'x', title: 'Purge lag', verdict: 'not_found', looked_for: 'history' }
    const nothing = { ...absent, id: 'y', title: 'Disk', verdict: 'no_data' }
    open({ ...base, absences: [absent, nothing] } as Overview)
    const summary = await screen.findByText(/1 other pattern checked, no match/)
    expect(screen.queryByText('Pin as absence')).toBeNull()
    fireEvent.click(summary)
    await screen.findByText('Pin as absence')
    expect(screen.getAllByRole('button', { name: 'Pin as absence', hidden: true })).toHaveLength(1)
  })

  it('says the sentence and the four numbers, in the chosen zone', async () => {
    open(base)
    expect(await screen.findByText('Stall on db-1 for 96 s.')).toBeTruthy()
    const numbers = screen.getByText('Peak waiters').closest('dl')
    for (const part of ['01:30:52', '96', '391', 'trx 8812431', '388'])
      expect(numbers?.textContent).toContain(part)
    screen.getByRole('link', { name: /98.7.*parsed/ })
    const peak = screen.getByRole('link', { name: /391/ })
    expect(peak.getAttribute('href')).toBe(
      '/incidents/i1/waits?tz=incident&at=2021-04-05T09%3A31%3A20Z',
    )
  })

  it('leads from a claim to its raw lines', async () => {
    open(base)
    const source = await screen.findByRole('link', { name: 'status.txt:812–840' })
    expect(source.getAttribute('href')).toBe(
      '/incidents/i1/artifacts?tz=incident&artifact=a1&line=812&to=840',
    )
  })

  it('makes a hypothesis of a finding and opens it', async () => {
    const calls = open(base)
    fireEvent.click(await screen.findByRole('button', { name: 'Create hypothesis' }))
    await waitFor(() => expect(window.location.pathname).toBe('/incidents/i1/hypotheses'))
    expect(window.location.search).toBe('?tz=incident&hypothesis=h1')
    expect(calls.some((call) => call.method === 'POST')).toBe(true)
  })

  it('says that it is partial, and that the analysis failed', async () => {
    open({
      ...base,
      analysis: { ...base.analysis, state: 'failed', error: 'the disk is full' },
      artifacts: { ...base.artifacts, unknown: 2 },
    })
    expect(await screen.findByText(/the disk is full/)).toBeTruthy()
    expect(screen.getByText(/Partial results: 2 files of unknown type/)).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Analyse again' })).toBeTruthy()
  })

  it('says what is not known of a stall, never zero', async () => {
    const numbers = { ...base.numbers, duration_s: null, peak_waiters: null, root_blocker: null }
    open({ ...base, numbers })
    const list = (await screen.findByText('Root blocker')).closest('dl')
    if (!list) throw new Error('no list of numbers')
    expect(within(list).getAllByText('unknown')).toHaveLength(3)
  })

  it('shows of a paste without a stall only the numbers that it has', async () => {
    const paste = { ...base.numbers, onset: null, duration_s: null, peak_at: null }
    open({ ...base, numbers: { ...paste, peak_waiters: null } })
    const list = (await screen.findByText('Root blocker')).closest('dl')
    expect(list?.querySelectorAll('dt')).toHaveLength(1)
    expect(list?.textContent).not.toContain('unknown')
  })

  it('says how many waited in all, where the shown victims are a part of them', async () => {
    const victims = (sessions: number) => ({
      ...base,
      story: {
        chain: [
          { ...link, role: 'resource' as const, title: 'page latch' },
          { ...link, role: 'victims' as const, title: `${sessions} sessions`, sessions },
        ],
        fixes: [],
        marks: [],
        plain: '',
        work: null,
        impact: {
          sentences: [],
          missing: null,
          stall_per_s: null,
          standstill_at: null,
          standstill_s: null,
          unit: '',
          usual_per_s: null,
          waited_s: null,
          waited_share: null,
        },
      },
    })
    const link = {
      detail: '',
      sessions: null,
      since: null,
      statement: null,
      session_id: null,
    }
    open(victims(43))
    expect(await screen.findByText('of up to 391 that waited')).toBeTruthy()
    cleanup()
    open(victims(388))
    expect(await screen.findByText('388 sessions')).toBeTruthy()
    expect(screen.queryByText(/that waited/)).toBeNull()
  })

  it('names a series that moved in words', async () => {
    const moved = {
      ...{ series: 'metric.cpu_pct@db-1', name: 'metric.cpu_pct', title: 'CPU', unit: '%' },
      ...{ baseline: 4, stall: 99, ratio: 24.75, score: 60, first_moved_s: 1, uncertainty_s: 1 },
      ...{ direction: 'up' as const, host: null, text: '', same_as: null },
    }
    open({ ...base, shifts: [moved] })
    expect(await screen.findByRole('link', { name: 'CPU' })).toBeTruthy()
    expect(screen.queryByText(/cpu_pct/)).toBeNull()
  })

  it('says when each series moved, and of none an order that its clock does not show', async () => {
    const shift = (name: string, first_moved_s: number | null, uncertainty_s: number | null) => ({
      ...{ series: `metric.${name}`, name, title: name, unit: '', text: '', host: null },
      ...{ baseline: 4, stall: 8, ratio: 2, score: 60, direction: 'up' as const, same_as: null },
      ...{ first_moved_s, uncertainty_s },
    })
    const given: [string, number | null, number | null, string, string | null][] = [
      ['never', null, 1, '–', null],
      ['surely', 3, null, '3safter', null],
      ['at once', 0, null, '0safter', null],
      ['inside', 2, 2, 'with the onset', 'within ± 2 s of the onset'],
      ['inside, before', -2, 2, 'with the onset', 'within ± 2 s of the onset'],
      ['outside', 3, 2, '3safter', '± 2 s'],
      ['outside, before', -3, 2, '3sbefore', '± 2 s'],
    ]
    open({ ...base, shifts: given.map(([name, moved, spread]) => shift(name, moved, spread)) })
    for (const [name, , , shown, title] of given) {
      const row = (await screen.findByRole('link', { name })).closest('[role="row"]')
      const cell = row?.querySelectorAll('[role="cell"], [role="gridcell"]')[1]
      expect([name, cell?.textContent.replaceAll(/\s/g, '')]).toEqual([
        name,
        shown.replaceAll(' ', ''),
      ])
      expect([name, cell?.querySelector('[title]')?.getAttribute('title') ?? null]).toEqual([
        name,
        title,
      ])
    }
  })

  it('leads to the upload when there is nothing', async () => {
    open({ ...base, headline: null, artifacts: { ...base.artifacts, total: 0, done: 0 } })
    expect(await screen.findByRole('button', { name: 'Upload files' })).toBeTruthy()
  })

  it('shows a similar incident with what was refuted there', async () => {
    serve({
      '/incidents/i1/overview': base,
      '/incidents/i1/similar': [
        {
          id: 'i7',
          title: 'Last spring',
          onset: '2021-03-01T09:00:00Z',
          score: 0.82,
          shared: ['likely cause: Hot row', 'root blocker: transaction'],
          only_here: [],
          only_there: ['series: history list went up'],
          refuted: [{ statement: 'It was the network', status: 'refuted', confidence: 5 }],
          supported: [],
        },
      ],
    })
    renderScreen(<OverviewScreen />, '/incidents/i1/overview')
    const link = await screen.findByRole('link', { name: 'Last spring' })
    expect(link.getAttribute('href')).toBe('/incidents/i7/overview')
    expect(screen.getByText(/likely cause: Hot row; root blocker/)).toBeTruthy()
    expect(screen.getByText('It was the network')).toBeTruthy()
  })
})

describe('several captures', () => {
  const capture = (id: string, episodes: string[]) => ({
    id,
    host: 'db-1',
    first: '2021-04-05T09:30:00Z',
    last: '2021-04-05T09:31:00Z',
    verdict: episodes.length > 0 ? ('stall' as const) : ('short' as const),
    text: 'Work piled up once and cleared within 7 s.',
    interval_s: 1,
    gaps: [],
    artifacts: [],
    bundles: [],
    short_stalls: 0,
    episodes,
  })
  const captures = [capture('c1', ['e1']), capture('c2', [])]
  const stall = {
    kind: 'stall',
    onset: '2021-04-05T09:30:20Z',
    end: null,
    duration_s: 40,
    peak_waiters: 107,
    peak_counts: 'waiting',
    evidence: [],
  }
  const episodes = {
    captures,
    recurrence: null,
    from_s: -20,
    to_s: 40,
    episodes: [
      {
        episode: {
          id: 'e1',
          capture: 'c1',
          stall,
          finding: 'hot-row',
          findings: [finding],
          leading: true,
          headline: { verdict: 'stall', text: '', arrival: '', story: '' },
        },
        capture: captures[0],
        onset: stall.onset,
        thumbnail: {
          series: 'mysql.Threads_running@db-1',
          title: 'Threads running',
          baseline: 3,
          peak: 107,
          points: [
            [-20, 3],
            [0, 107],
            [10, null],
            [20, 90],
          ],
        },
      },
    ],
  }

  it('list every stall aligned at its onset, and the captures without one', async () => {
    serve({
      '/incidents/i1/overview': { ...base, captures },
      '/incidents/i1/episodes': episodes,
    })
    renderScreen(<OverviewScreen />, '/incidents/i1/overview')
    const list = await screen.findByRole('list', { name: 'Stalls, aligned at their onset' })
    expect(list.textContent).toContain('peak 107 waiters')
    expect(list.textContent).toContain('described on this page')
    const picture = within(list).getByRole('img', {
      name: /Threads running: 3 before, peak 107/,
    })
    // a gap ends the shape: two subpaths, none across it
    expect(picture.querySelector('path')?.getAttribute('d')?.match(/M/g)).toHaveLength(2)
    const others = screen.getByRole('list', { name: 'Captures without a stall' })
    expect(others.textContent).toContain('cleared within 7 s')
  })

  it('of one capture show no list of captures', async () => {
    serve({ '/incidents/i1/overview': { ...base, captures: [capture('c1', [])] } })
    renderScreen(<OverviewScreen />, '/incidents/i1/overview')
    expect(await screen.findByText('Stall on db-1 for 96 s.')).toBeTruthy()
    expect(screen.queryByText('Captures')).toBeNull()
  })
})
