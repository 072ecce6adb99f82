import { fireEvent, render, screen, within } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { type Column, nextSort, sortRows, Table, toTsv } from './Table'

type Row = { readonly id: string; readonly n: number | null }
const rows: Row[] = [
  { id: 'shard10', n: 2 },
  { id: 'shard9', n: null },
  { id: 'a\tb', n: 30 },
]
const columns: Column<Row>[] = [
  { key: 'id', head: 'Name', sort: (row) => row.id, cell: (row) => row.id },
  { key: 'n', head: 'Waits', kind: 'number', sort: (row) => row.n, cell: (row) => row.n ?? '–' },
]

describe('sorting', () => {
  it('puts what is not known last, either way', () => {
    const ids = (down: boolean) => sortRows(rows, columns, { key: 'n', down }).map((row) => row.n)
    expect(ids(true)).toEqual([30, 2, null])
    expect(ids(false)).toEqual([2, 30, null])
  })
  it('reads numbers inside names', () => {
    expect(sortRows(rows, columns, { key: 'id', down: false }).map((row) => row.id)).toEqual([
      'a\tb',
      'shard9',
      'shard10',
    ])
  })
  it('goes natural, other way, as given', () => {
    const first = nextSort(null, 'n', true)
    expect(first).toEqual({ key: 'n', down: true })
    const second = nextSort(first, 'n', true)
    expect(second).toEqual({ key: 'n', down: false })
    expect(nextSort(second, 'n', true)).toBeNull()
  })
})

it('copies as TSV with no tab inside a cell', () => {
  expect(toTsv(rows, columns)).toBe('Name\tWaits\nshard10\t2\nshard9\t\na b\t30')
})

it('sorts by its head, moves with the arrows and says what is chosen', () => {
  const onSelect = vi.fn()
  render(
    <Table
      label="Shards"
      rows={rows}
      columns={columns}
      rowKey={(row) => row.id}
      selected="shard10"
      onSelect={onSelect}
    />,
  )
  const grid = screen.getByRole('grid', { name: 'Shards' })
  expect(within(grid).getByRole('row', { selected: true }).textContent).toContain('shard10')
  fireEvent.keyDown(grid, { key: 'ArrowDown' })
  expect(onSelect).toHaveBeenLastCalledWith(rows[1])
  fireEvent.click(screen.getByRole('button', { name: /Waits/ }))
  expect(screen.getByRole('columnheader', { name: /Waits/ }).getAttribute('aria-sort')).toBe(
    'descending',
  )
})
