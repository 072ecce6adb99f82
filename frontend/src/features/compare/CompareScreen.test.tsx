import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { renderScreen, serve } from '@/testing/render'
import CompareScreen from './CompareScreen'

afterEach(() => vi.unstubAllGlobals())

const side = (label: string) => ({
  label,
  start: '2026-11-20T22:00:00Z',
  end: '2026-11-20T22:01:00Z',
  hosts: ['db-1'],
  version: '8.0.15',
  dumps: 10,
  samples: 0,
})
const series = (name: string, clear: boolean) => ({
  series: name,
  labels: '',
  title: name,
  detail: '',
  source: 'SHOW STATUS',
  unit: null,
  levels: [
    { median: 2, low: 2, high: 3, points: 30, runs: 1 },
    { median: 302, low: 290, high: 310, points: 57, runs: 3 },
  ],
  ratios: [null, { ratio: 151, low: 97, high: 155 }],
  clear,
})
const server = {
  '/incidents/i1/overview': {
    analysis: { state: 'done', engine: '1', error: null },
    artifacts: { total: 1, parsing: 0 },
    unanswered: [],
  },
  '/incidents/i1/compare/choices': {
    hosts: ['db-1', 'db-2'],
    captures: [],
    runs: [{ id: 'e1', number: 1, title: 'AHI off', artifacts: 3 }],
    has_stall: true,
    has_baseline: true,
  },
  '/incidents/i1/compare': {
    sides: [side('baseline'), side('stall')],
    reference: 0,
    align: 'onset',
    trials: [
      {
        side: 1,
        trial: {
          verdict: 'worse',
          text: 'B is worse than A: 500 ms, against 5 ms.',
          before_s: 0.005,
          after_s: 0.5,
        },
      },
    ],
    warnings: ['Different hosts: db-1 and db-2.'],
    active: [
      { average: 4, low: 4, high: 4, level_from: 'mysql.Threads_running', mix_from: '' },
      { average: 302, low: 290, high: 310, level_from: 'mysql.Threads_running', mix_from: '' },
    ],
    classes: [
      { id: 'latch', title: 'Latch', waits: true, sessions: [0, 290], shares: [0, 0.96] },
      { id: 'working', title: 'Working', waits: false, sessions: [4, 12], shares: [1, 0.04] },
    ],
    series: [series('mysql.Threads_running', true), series('mysql.steady', false)],
    waits: [{ file: 'btr0sea.ic', line: 98, mode: 'S', counts: [0, 58.4] }],
    stacks: [],
    settings: [{ name: 'innodb_adaptive_hash_index', values: ['ON', 'OFF'] }],
    tables: [
      {
        side: 1,
        table: {
          name: 'digest',
          host: null,
          keys: ['query'],
          appeared: 1,
          gone: 0,
          changed: 1,
          note: null,
          rows: [
            {
              state: 'changed',
              key: ['select 1'],
              column: 'ms',
              a: '2',
              b: '900',
              change: '898',
              ratio: 450,
            },
            {
              state: 'appeared',
              key: ['select 2'],
              column: null,
              a: null,
              b: null,
              change: null,
              ratio: null,
            },
          ],
        },
      },
    ],
  },
  '/incidents/i1/compare/overlay': {
    series: 'mysql.Threads_running',
    unit: null,
    align: 'onset',
    samples: 2,
    lines: [
      {
        side: 0,
        label: 'baseline',
        host: null,
        zero: '2026-11-20T22:00:00Z',
        points: [[0, 1, 1, 1]],
      },
    ],
  },
}

describe('compare', () => {
  it('shows only what differs, and all when asked', async () => {
    serve(server)
    renderScreen(<CompareScreen />, '/incidents/i1/compare')
    expect(await screen.findByRole('button', { name: 'mysql.Threads_running' })).toBeTruthy()
    expect(screen.getByText('97–155')).toBeTruthy()
    expect(screen.queryByText('mysql.steady')).toBeNull()
    expect(screen.getByText('Different hosts: db-1 and db-2.')).toBeTruthy()
    expect(screen.getByText('B is worse than A: 500 ms, against 5 ms.')).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: 'Only what differs' }))
    expect(await screen.findByText('mysql.steady')).toBeTruthy()
    await waitFor(() => expect(window.location.search).toContain('all=1'))
  })

  it('says the range in the unit of its median, and who measured what two rows name alike', async () => {
    const sent = (source: string) => ({
      ...series(`${source}.bytes_sent`, true),
      title: 'Bytes sent',
      source,
      unit: 'B',
      levels: [
        { median: 2048, low: 512, high: 4096, points: 4, runs: 1 },
        { median: 3 * 2 ** 20, low: 2 * 2 ** 20, high: 5 * 2 ** 20, points: 57, runs: 1 },
      ],
    })
    const doc = {
      ...server['/incidents/i1/compare'],
      series: [sent('vmstat'), sent('SHOW STATUS')],
    }
    serve({ ...server, '/incidents/i1/compare': doc })
    renderScreen(<CompareScreen />, '/incidents/i1/compare')
    expect(await screen.findByRole('button', { name: /sent\s*by vmstat/ })).toBeTruthy()
    expect(screen.getByRole('button', { name: /sent\s*by SHOW STATUS/ })).toBeTruthy()
    expect(screen.getAllByText('512 B–4 KiB · 4 samples')).toHaveLength(2)
    expect(screen.getAllByText('2–5')).toHaveLength(2)
  })

  it('shows waits per dump and settings that differ', async () => {
    serve(server)
    renderScreen(<CompareScreen />, '/incidents/i1/compare?tab=waits')
    expect(await screen.findByText('btr0sea.ic:98')).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: 'Server settings' }))
    expect(await screen.findByText('innodb_adaptive_hash_index')).toBeTruthy()
    expect(screen.getByText('OFF')).toBeTruthy()
  })

  it('shows where the active sessions of each side spend their time', async () => {
    serve(server)
    renderScreen(<CompareScreen />, '/incidents/i1/compare?tab=classes')
    const table = await screen.findByLabelText('Active sessions by class')
    expect(within(table).getByText('Latch')).toBeTruthy()
    expect(within(table).getByText('290')).toBeTruthy()
    const bars = screen.getByText(/^Average active sessions/).closest('table')
    expect(bars?.textContent).toContain('290 to 310')
  })

  it('shows rows of tables that changed and appeared', async () => {
    serve(server)
    renderScreen(<CompareScreen />, '/incidents/i1/compare?tab=tables')
    expect(await screen.findByText('select 1')).toBeTruthy()
    expect(screen.getByText('900')).toBeTruthy()
    expect(screen.getByText('appeared')).toBeTruthy()
  })

  it('holds the others against the side that is chosen', async () => {
    const turned = { ...server['/incidents/i1/compare'], reference: 1 }
    serve({ ...server, '/incidents/i1/compare': turned })
    renderScreen(<CompareScreen />, '/incidents/i1/compare?against=B')
    await screen.findByText('A / B')
    const against = screen.getByRole('group', { name: 'Reference side' })
    within(against).getByRole('button', { name: 'B', pressed: true })
  })

  it('keeps the sides in the address, and swaps them', async () => {
    serve(server)
    renderScreen(<CompareScreen />, '/incidents/i1/compare?side=whole&side=stall|||||e1')
    await screen.findByRole('button', { name: 'mysql.Threads_running' })
    const runs = screen.getAllByLabelText<HTMLSelectElement>('Run')
    expect(runs.map((run) => run.value)).toEqual(['', 'e1'])
    fireEvent.click(screen.getByRole('button', { name: 'Swap the first two sides' }))
    await waitFor(() =>
      expect(
        screen.getAllByLabelText<HTMLSelectElement>('Run').map((element) => element.value),
      ).toEqual(['e1', '']),
    )
  })

  it('asks for a range before it compares a window', async () => {
    serve(server)
    renderScreen(<CompareScreen />, '/incidents/i1/compare?side=whole&side=window')
    expect(await screen.findByText('A window needs a range')).toBeTruthy()
  })

  it('says why two could not be compared', async () => {
    serve({ '/incidents/i1/compare/choices': server['/incidents/i1/compare/choices'] })
    renderScreen(<CompareScreen />, '/incidents/i1/compare')
    expect((await screen.findByRole('alert')).textContent).toContain('could not be compared')
  })
})
