import { fireEvent, screen, waitFor } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Artifact, TableComparison, TableRef } from '@/api/schema'
import { renderScreen, serve } from '@/testing/render'
import ComparisonScreen from './ComparisonScreen'
import { TablesTab } from './TablesTab'

afterEach(() => vi.unstubAllGlobals())

const table = (artifact: string, rows = 2): TableRef => ({
  artifact,
  path: `${artifact}.txt`,
  name: 'pages',
  columns: ['table', 'n'],
  rows,
  line_first: 3,
  line_last: 9,
})
const found: TableComparison = {
  before: table('a'),
  after: table('b'),
  keys: ['table'],
  columns: ['n'],
  only_before: [],
  only_after: ['new'],
  added: 1,
  gone: 0,
  changed: 1,
  same: 7,
  ambiguous: 0,
  offset: 0,
  total: 2,
  rows: [
    {
      state: 'changed',
      key: ['app.a'],
      cells: [{ before: '100', after: '391', change: '291', ratio: 3.91 }],
    },
    {
      state: 'added',
      key: ['app.b'],
      cells: [{ before: null, after: '5', change: null, ratio: null }],
    },
  ],
}

describe('two tables compared', () => {
  it('takes the likeliest partner and shows what differs, by how much', async () => {
    serve({
      '/incidents/i1/tables': { items: [table('a'), table('b')] },
      '/tables/comparison': found,
    })
    renderScreen(<ComparisonScreen />, '/incidents/i1/artifacts/tables')
    const row = await screen.findByRole('row', { name: /app\.a/ })
    expect(row.textContent).toMatch(/100 → 391\+291×.3\.91/)
    const same = screen.getByRole('button', { name: /same 7/ })
    expect(same.getAttribute('aria-pressed')).toBe('false')
    expect(screen.getByText(/only after: new/)).toBeTruthy()
    fireEvent.click(same)
    await waitFor(() => expect(window.location.search).toContain('rows=same'))
  })

  it('says that nothing differs, and shows the rest when asked', async () => {
    serve({
      '/incidents/i1/tables': { items: [table('a'), table('b')] },
      '/tables/comparison': { ...found, added: 0, changed: 0, total: 0, rows: [] },
    })
    renderScreen(<ComparisonScreen />, '/incidents/i1/artifacts/tables')
    expect(await screen.findByText('No rows differ')).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Show the 7 that are the same' })).toBeTruthy()
  })

  it('swaps before and after', async () => {
    serve({
      '/incidents/i1/tables': { items: [table('a'), table('b')] },
      '/tables/comparison': found,
    })
    renderScreen(<ComparisonScreen />, '/incidents/i1/artifacts/tables')
    fireEvent.click(await screen.findByRole('button', { name: /Swap/ }))
    await waitFor(() => expect(window.location.search).toContain('before=b'))
    expect(window.location.search).toContain('after=a')
  })

  it('says why there is nothing to compare', async () => {
    serve({ '/incidents/i1/tables': { items: [table('a')] } })
    renderScreen(<ComparisonScreen />, '/incidents/i1/artifacts/tables')
    expect(await screen.findByText('Two tables are needed to compare')).toBeTruthy()
  })

  it('says when a table of the link is gone, and when they cannot be compared', async () => {
    serve({ '/incidents/i1/tables': { items: [table('a'), table('b')] } })
    renderScreen(<ComparisonScreen />, '/incidents/i1/artifacts/tables?before=zz&beforeTable=x')
    expect(await screen.findByText('Table not found')).toBeTruthy()
    renderScreen(<ComparisonScreen />, '/incidents/i1/artifacts/tables')
    expect(await screen.findByText('These tables cannot be compared')).toBeTruthy()
  })
})

describe('the tables of an artifact', () => {
  it('are shown by page, sorted by the server, and lead to their lines', async () => {
    const calls = serve({
      '/artifacts/a/tables': { items: [table('a', 2500)] },
      '/artifacts/a/table': {
        ...table('a', 2500),
        numeric: [false, true],
        offset: 0,
        page: [
          ['app.a', '391'],
          ['app.b', null],
        ],
      },
    })
    renderScreen(
      <TablesTab incidentId="i1" artifact={{ id: 'a' } as Artifact} />,
      '/incidents/i1/artifacts?artifact=a&tab=tables',
    )
    expect(await screen.findByRole('row', { name: /app\.a/ })).toBeTruthy()
    expect(screen.getByText(/rows 1 to 2 of 2500/)).toBeTruthy()
    expect(screen.getByRole('link', { name: 'lines 3–9' }).getAttribute('href')).toContain(
      'artifact=a&line=3&to=9',
    )
    expect(
      screen.getByRole('link', { name: 'Compare with another' }).getAttribute('href'),
    ).toContain('before=a&beforeTable=pages')
    fireEvent.click(screen.getByRole('button', { name: 'n' }))
    await waitFor(() => expect(window.location.search).toContain('sort=n'))
    await waitFor(() =>
      expect(calls.filter((call) => call.path === '/artifacts/a/table').length).toBe(2),
    )
  })
})
