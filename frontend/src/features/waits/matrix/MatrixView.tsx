/** The adjacency matrix: rows wait for, or are held by, columns; a cell opens its row's node. */
import { useMemo } from 'react'
import { formatNumber } from '@/format'
import { cx } from '@/ui/controls/cx'
import { EmptyState } from '@/ui/display/States'
import type { WaitGraph } from '../waitGraph'
import { matrixOf, MOST_SIDES } from './matrix'
import { GLYPH } from '../nodeText'

export function MatrixView({
  graph,
  selected,
  onSelect,
}: {
  readonly graph: WaitGraph
  readonly selected: string
  readonly onSelect: (id: string) => void
}) {
  const { rows, columns, cell, left } = useMemo(() => matrixOf(graph), [graph])
  if (rows.length === 0)
    return (
      <EmptyState compact title="No edge at this moment">
        Sessions wait, but no file names what blocks them.
      </EmptyState>
    )
  return (
    <div className="waits-matrix scroll" tabIndex={0} role="region" aria-label="Adjacency matrix">
      <table>
        <caption>
          Rows wait for columns. H: the row is held by the column; w or a lock mode: the row waits,
          with the number of threads; ?: inferred.
          {left > 0 &&
            ` ${formatNumber(left, 0)} more are left out: these are the ${MOST_SIDES} with the most threads behind them.`}
        </caption>
        <thead>
          <tr>
            <td />
            {columns.map((column) => (
              <th key={column.id} scope="col">
                <button
                  type="button"
                  className="linklike mono ellipsis"
                  title={column.label}
                  onClick={() => onSelect(column.id)}
                >
                  {column.label}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <th scope="row">
                <button
                  type="button"
                  className="linklike mono ellipsis"
                  title={row.label}
                  aria-pressed={row.id === selected}
                  onClick={() => onSelect(row.id)}
                >
                  <span aria-hidden="true">{GLYPH[row.kind]}</span> {row.label}
                </button>
              </th>
              {columns.map((column) => {
                const edge = cell(row.id, column.id)
                return (
                  <td key={column.id}>
                    {edge && (
                      <button
                        type="button"
                        className={cx(
                          edge.kind === 'held_by' && 'held',
                          row.id === selected && 'here',
                        )}
                        title={`${row.label} ${edge.kind === 'held_by' ? 'is held by' : 'waits for'} ${column.label}${edge.mode ? ` (${edge.mode})` : ''}${edge.inferred ? ', inferred' : ''}`}
                        onClick={() => onSelect(row.id)}
                      >
                        {edge.kind === 'held_by' ? 'H' : (edge.mode ?? 'w')}
                        {edge.count > 1 ? ` ${formatNumber(edge.count, 0)}` : ''}
                        {edge.inferred ? '?' : ''}
                      </button>
                    )}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
