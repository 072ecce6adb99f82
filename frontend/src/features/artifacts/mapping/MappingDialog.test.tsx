import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Artifact, MappingPreview } from '@/api/schema'
import { renderScreen, serve } from '@/testing/render'
import { MappingDialog } from './MappingDialog'

afterEach(() => vi.unstubAllGlobals())

const column = (name: string, role: MappingPreview['mapping']['columns'][number]['role']) => ({
  name,
  role,
  series: null,
  kind: 'gauge' as const,
  unit: null,
})
const seen = (change: Partial<MappingPreview>): MappingPreview => ({
  mapping: {
    delimiter: ';',
    decimal: ',',
    header_line: 1,
    time_format: 'dmy',
    zone: null,
    columns: [column('Date', 'time'), column('Threads', 'value')],
  },
  sure: false,
  why: "the times in 'Date' can be read in more than one way",
  remembered: false,
  remembered_by: null,
  remembered_at: null,
  problems: [],
  head: ['Date;Threads', '03/04/2026 10:00:00;1,5'],
  rows: [
    { line: 2, cells: ['03/04/2026 10:00:00', '1,5'], time: '2026-04-03 10:00:00', bad: [] },
    { line: 3, cells: ['03/04/2026 10:00:01', 'x'], time: '2026-04-03 10:00:01', bad: [1] },
  ],
  rows_read: 2,
  rows_timed: 2,
  cell_errors: [{ line: 3, column: 2, message: 'not a number', found: 'x' }],
  cell_errors_total: 1,
  series: [
    {
      name: 'metric.Threads',
      labels: '',
      host: null,
      kind: 'gauge',
      unit: null,
      values: 1,
      low: 1.5,
      high: 1.5,
    },
  ],
  series_total: 1,
  same_header: 2,
  ...change,
})

const artifact = { id: 'a1', path: 'export.csv' } as Artifact
const dialog = (done = vi.fn()) =>
  renderScreen(
    <MappingDialog incidentId="i1" artifact={artifact} open onOpenChange={done} />,
    '/incidents/i1/artifacts',
  )

describe('the dialog of the columns', () => {
  it('shows the guess with its doubt, what was not read, and what comes out', async () => {
    serve({ '/artifacts/a1/mapping': seen({}) })
    dialog()
    expect(await screen.findByText('not certain')).toBeTruthy()
    expect(screen.getByText(/line 3, column 2/)).toBeTruthy()
    expect(screen.getByText(/2 of the first 2 rows have a time/)).toBeTruthy()
    const series = screen.getByRole('region', { name: 'Resulting series' })
    expect(series.textContent).toContain('metric.Threads')
    expect(
      screen.getByText(/2 other artifacts have this header and are parsed again too/),
    ).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Forget mapping' })).toBeNull()
  })

  it('tries a correction at once, and saves what is shown', async () => {
    const corrected = seen({ sure: true })
    const calls = serve({
      '/artifacts/a1/mapping': seen({}),
      'POST /artifacts/a1/mapping/preview': {
        ...corrected,
        mapping: { ...corrected.mapping, time_format: 'mdy' },
      },
      'PUT /artifacts/a1/mapping': { read_again: 3 },
    })
    const done = vi.fn()
    dialog(done)
    fireEvent.change(await screen.findByLabelText('Time format'), {
      target: { value: 'mdy' },
    })
    fireEvent.change(screen.getByLabelText('Unit of column 2, Threads'), {
      target: { value: 'threads' },
    })
    const save = screen.getByRole<HTMLButtonElement>('button', { name: 'Parse with these columns' })
    expect(save.disabled).toBe(true) // until its preview is here
    await waitFor(() => expect(save.disabled).toBe(false))
    fireEvent.click(save)
    await waitFor(() => expect(done).toHaveBeenCalledWith(false))
    const put = calls.find((call) => call.method === 'PUT')?.body as MappingPreview['mapping']
    expect(put.time_format).toBe('mdy')
    expect(put.columns[1]).toMatchObject({ role: 'value', unit: 'threads' })
    const tried = calls.findLast((call) => call.path.endsWith('/preview'))?.body
    expect(tried).toEqual(put) // what was seen is what is saved
  })

  it('says what keeps it from being used', async () => {
    serve({
      '/artifacts/a1/mapping': seen({
        series: [],
        series_total: 0,
        problems: [{ field: 'columns', message: 'say which columns hold values' }],
      }),
    })
    dialog()
    expect(await screen.findByText('Say which columns hold values.')).toBeTruthy()
    expect(
      screen.getByRole<HTMLButtonElement>('button', { name: 'Parse with these columns' }).disabled,
    ).toBe(true)
  })

  it('forgets what was remembered', async () => {
    const calls = serve({
      '/artifacts/a1/mapping': seen({ remembered: true, sure: true, why: 'set by Ada' }),
      'DELETE /artifacts/a1/mapping': { read_again: 1 },
    })
    dialog()
    fireEvent.click(await screen.findByRole('button', { name: 'Forget mapping' }))
    await waitFor(() => expect(calls.some((call) => call.method === 'DELETE')).toBe(true))
  })

  it('says that a refusal was not saved, and why', async () => {
    serve({ '/artifacts/a1/mapping': seen({}) }) // PUT: 404
    dialog()
    const save = await screen.findByRole<HTMLButtonElement>('button', {
      name: 'Parse with these columns',
    })
    await waitFor(() => expect(save.disabled).toBe(false))
    fireEvent.click(save)
    const alert = await screen.findByRole('alert')
    expect(within(alert).getByText('The mapping was not saved')).toBeTruthy()
  })

  it('keeps what was corrected when it cannot be tried', async () => {
    serve({ '/artifacts/a1/mapping': seen({}) }) // the preview: 404
    dialog()
    fireEvent.change(await screen.findByLabelText('Zone of times without one'), {
      target: { value: 'Asia/Tokyo' },
    })
    expect(await screen.findByText('The preview failed')).toBeTruthy()
    expect(screen.getByLabelText<HTMLInputElement>('Zone of times without one').value).toBe(
      'Asia/Tokyo',
    )
    expect(
      screen.getByRole<HTMLButtonElement>('button', { name: 'Parse with these columns' }).disabled,
    ).toBe(true)
  })

  it('says when the first lines cannot be looked at', async () => {
    serve({})
    dialog()
    expect(await screen.findByText('The first lines could not be read')).toBeTruthy()
  })
})
