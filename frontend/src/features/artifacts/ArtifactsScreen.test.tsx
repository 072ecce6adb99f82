import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Artifact } from '@/api/schema'
import { renderScreen, serve } from '@/testing/render'
import ArtifactsScreen from './ArtifactsScreen'

afterEach(() => vi.unstubAllGlobals())

const artifact = (change: Partial<Artifact>): Artifact => ({
  id: 'a1',
  parent_id: null,
  path: 'pt-stalk/1-innodbstatus1',
  also_at: [],
  name: '1-innodbstatus1',
  sha256: 'ab'.repeat(32),
  bytes: 2048,
  bundle: null,
  format: 'innodb-status',
  format_title: 'SHOW ENGINE INNODB STATUS',
  format_given: false,
  confidence: 1,
  why: null,
  candidates: [],
  state: 'done',
  excluded: false,
  run_id: null,
  progress: null,
  host: 'db-1',
  first: null,
  last: null,
  clock: null,
  zone: null,
  offset_s: null,
  given_at: null,
  given_within_s: null,
  given_host: null,
  coverage: 0.987,
  records: {},
  problems: 0,
  error: null,
  parser_version: 1,
  uploaded_by: 'Ada',
  uploaded_at: '2021-04-05T09:30:00Z',
  ...change,
})
const unknown = artifact({
  id: 'a2',
  path: 'notes.bin',
  name: 'notes.bin',
  sha256: 'cd'.repeat(32),
  state: 'unknown_format',
  format: null,
  format_title: null,
  candidates: ['metric-csv'],
})
const server = (alive: boolean) => ({
  '/incidents/i1/artifacts': { items: [artifact({}), unknown] },
  '/status': { worker: { alive } },
  '/incidents/i1/uploads': [
    {
      id: 'up1',
      path: 'big.txt',
      bytes: 4096,
      received: 1024,
      created_at: '2021-04-05T09:30:00Z',
      updated_at: '2021-04-05T09:30:00Z',
    },
  ],
  '/formats': [
    { name: 'gdb', title: 'gdb thread apply all bt' },
    { name: 'metric-csv', title: 'Metric CSV' },
  ],
  '/artifacts/a2': { ...unknown, receipt: null, sections: [], problems_list: [] },
  '/artifacts/a2/raw': { line_first: 1, lines: ['one', 'two'], total_lines: 2, cut: [] },
  'PATCH /artifacts/a2': { ...unknown, receipt: null, sections: [], problems_list: [] },
})

describe('artifacts', () => {
  it('shows each with its state, and the uploads that a reload cut off', async () => {
    serve(server(true))
    renderScreen(<ArtifactsScreen />, '/incidents/i1/artifacts')
    const row = await screen.findByRole('row', { name: /1-innodbstatus1/ })
    expect(row.textContent).toContain('done')
    expect(row.textContent?.replace(/\u2009|\u202f/g, ' ')).toContain('98.7%')
    const rest = await screen.findByRole('region', { name: 'Unfinished uploads' })
    expect(rest.textContent).toContain('1KiB of 4KiB')
    expect(screen.queryByText(/No worker is running/)).toBeNull()
  })

  it('counts an archive of which not all was unpacked among those with problems', async () => {
    const cut = artifact({ format: 'archive', name: 'cut.gz', state: 'expanded', problems: 1 })
    serve({
      ...server(true),
      '/incidents/i1/artifacts': {
        items: [cut, unknown],
      },
    })
    renderScreen(<ArtifactsScreen />, '/incidents/i1/artifacts?show=problems')
    const row = await screen.findByRole('row', { name: /unpacked, with problems/ })
    expect(row).toBeTruthy()
    expect(screen.queryByRole('row', { name: /notes\.bin/ })).toBeNull()
  })

  it('says that no worker runs, instead of a spinner', async () => {
    serve(server(false))
    renderScreen(<ArtifactsScreen />, '/incidents/i1/artifacts')
    expect(await screen.findByText(/No worker is running/)).toBeTruthy()
  })

  it('opens the one that a pin names by hash, and lets its type be given by hand', async () => {
    const calls = serve(server(true))
    renderScreen(<ArtifactsScreen />, `/incidents/i1/artifacts?artifact=${unknown.sha256}`)
    const viewer = await screen.findByRole('complementary', { name: /notes\.bin/ })
    const type = await within(viewer).findByLabelText<HTMLSelectElement>('Type')
    await waitFor(() => expect(type.value).toBe('metric-csv')) // the likely one is proposed
    fireEvent.click(within(viewer).getByRole('button', { name: 'Parse as this type' }))
    await waitFor(() =>
      expect(calls.find((call) => call.method === 'PATCH')?.body).toEqual({ format: 'metric-csv' }),
    )
  })

  it('suggests the offset that counters show, and takes it when a person says so', async () => {
    const clock: NonNullable<Artifact['clock']> = {
      source: 'db-1/metric-csv',
      zone: null,
      offset_s: 0,
      how: 'Its times are absolute.',
      quality: 'exact',
      dispersion_s: 0,
      anchors: 0,
      suggested_offset_s: -41.2,
      suggested_how: 'Its clock is 41.2 s ahead of that of status: questions at 58 moments.',
      moves: 3600,
      outside: 0,
      host_how: '',
      host_printed: null,
      jumps: ['Line 7 is stamped 60 s before the line above it.'],
    }
    const ahead = artifact({ clock })
    const calls = serve({
      '/incidents/i1/artifacts': { items: [ahead] },
      '/incidents/i1/uploads': [],
    })
    renderScreen(<ArtifactsScreen />, `/incidents/i1/artifacts?artifact=${ahead.sha256}&tab=clock`)
    const box = await screen.findByRole('region', { name: 'Suggested offset' })
    expect(box.textContent).toContain('41.2 s ahead of that of status')
    expect(box.textContent).toMatch(/Dry run: 3600 records move, none is outside/)
    expect(screen.getByText(/Line 7 is stamped/)).toBeTruthy()
    fireEvent.click(within(box).getByRole('button', { name: 'Accept the offset' }))
    await waitFor(() =>
      expect(calls.find((call) => call.method === 'PATCH')?.body).toEqual({ offset_s: -41.2 }),
    )
  })

  it('says so when the linked artifact is gone', async () => {
    serve(server(true))
    renderScreen(<ArtifactsScreen />, '/incidents/i1/artifacts?artifact=nothing')
    expect(await screen.findByText('Artifact not found')).toBeTruthy()
  })

  it('offers viewers nothing to upload', async () => {
    serve(server(true))
    renderScreen(<ArtifactsScreen />, '/incidents/i1/artifacts', 'viewer')
    await screen.findByRole('row', { name: /notes\.bin/ })
    expect(screen.queryByText('Choose files')).toBeNull()
  })

  it('says what failed and tries again', async () => {
    serve({ '/incidents/i1/uploads': [] })
    renderScreen(<ArtifactsScreen />, '/incidents/i1/artifacts')
    const alert = await screen.findByRole('alert')
    expect(alert.textContent).toContain('The artifacts could not be read')
    expect(within(alert).getByRole('button', { name: 'Try again' })).toBeTruthy()
  })
})

describe('artifacts without a time', () => {
  const undated = artifact({
    records: { semaphore_wait: 3 },
    clock: {
      source: 'db-1/innodb-status',
      zone: null,
      offset_s: 0,
      how: 'No time in the file: not placed.',
      quality: 'unknown',
      dispersion_s: null,
      anchors: 0,
      suggested_offset_s: null,
      suggested_how: '',
      moves: 0,
      outside: 0,
      host_how: '',
      host_printed: null,
      jumps: [],
    },
  })

  it('are named above the list, and placed together', async () => {
    const calls = serve({
      ...server(true),
      '/incidents/i1/artifacts': {
        items: [undated, unknown],
      },
      'POST /incidents/i1/artifacts/given': { items: [] },
    })
    renderScreen(<ArtifactsScreen />, '/incidents/i1/artifacts')
    expect(await screen.findByText(/1-innodbstatus1 has no time/)).toBeTruthy()
    expect(screen.queryByRole('dialog')).toBeNull()
    fireEvent.click(screen.getByRole('button', { name: 'Give it a time' }))
    const dialog = await screen.findByRole('dialog')
    fireEvent.change(within(dialog).getByLabelText('When was this?'), {
      target: { value: '2020-11-10T18:42' },
    })
    fireEvent.change(within(dialog).getByLabelText('Host'), { target: { value: 'db-7' } })
    fireEvent.click(within(dialog).getByRole('button', { name: 'Place 1 artifact' }))
    await waitFor(() =>
      expect(calls.find((call) => call.method === 'POST')).toMatchObject({
        path: '/incidents/i1/artifacts/given',
        body: {
          artifact_ids: ['a1'],
          at: '2020-11-10T18:42:00.000Z',
          within_s: 60,
          host: 'db-7',
        },
      }),
    )
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  })
})

it('joins a host to a server with a click, and takes it back', async () => {
  const replica = artifact({ id: 'a3', path: 'series.csv', sha256: 'ef'.repeat(32), host: 'db-2' })
  const calls = serve({
    ...server(true),
    '/incidents/i1/artifacts': {
      items: [artifact({}), replica],
    },
    'POST /incidents/i1/artifacts/host': { items: [] },
  })
  renderScreen(<ArtifactsScreen />, '/incidents/i1/artifacts')
  fireEvent.click(await screen.findByRole('button', { name: 'Show servers' }))
  const dialog = await screen.findByRole('dialog')
  const group = within(dialog).getByRole('region', { name: 'db-2' })
  const sent = () => calls.filter((call) => call.method === 'POST').map((call) => call.body)
  fireEvent.click(within(group).getByRole('button', { name: 'Join with db-1' }))
  fireEvent.click(await within(dialog).findByRole('button', { name: 'Undo' }))
  await waitFor(() =>
    expect(sent()).toEqual([
      { artifact_ids: ['a3'], host: 'db-1' },
      { artifact_ids: ['a3'], host: null },
    ]),
  )
})

it('takes a time and a host for the files uploaded next', async () => {
  serve(server(true))
  renderScreen(<ArtifactsScreen />, '/incidents/i1/artifacts')
  fireEvent.click(await screen.findByRole('button', { name: 'Time and host' }))
  const dialog = await screen.findByRole('dialog')
  fireEvent.change(within(dialog).getByLabelText('When was this?'), {
    target: { value: '2020-11-10T18:42' },
  })
  fireEvent.change(within(dialog).getByLabelText('Host'), { target: { value: 'db-7' } })
  fireEvent.click(within(dialog).getByRole('button', { name: 'Use for uploads' }))
  expect(
    await screen.findByRole('button', { name: 'about 2020-11-10 18:42:00 UTC, db-7' }),
  ).toBeTruthy()
})
