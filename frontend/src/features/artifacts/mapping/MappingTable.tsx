/** The first rows split into cells, with the role of each column above it. */
import type { MappingDraft, MappingPreview, TableMapping } from '@/api/schema'
import { cx } from '@/ui/controls/cx'
import { KINDS, ROLES, type Role, SHOWN_COLUMNS, withColumn } from './mapping'

export function MappingTable({
  mapping,
  seen,
  busy,
  onChange,
}: {
  readonly mapping: TableMapping
  readonly seen: MappingPreview
  /** Whether the rows belong to an earlier draft, whose columns may differ. */
  readonly busy: boolean
  readonly onChange: (draft: MappingDraft) => void
}) {
  const columns = mapping.columns.slice(0, SHOWN_COLUMNS)
  const hidden = mapping.columns.length - columns.length
  const relative = mapping.time_format === 'elapsed_s'
  return (
    <div className="mapping-scroll scroll" tabIndex={0} role="group" aria-label="Columns and rows">
      <table className={cx('mapping-table', busy && 'mapping-stale')}>
        <thead>
          <tr>
            <th scope="col" className="mapping-line">
              line
            </th>
            <th scope="col" className="mapping-time">
              {relative ? 'time since the start' : 'parsed time'}
            </th>
            {columns.map((column, at) => (
              <th key={at} scope="col">
                <ColumnHead
                  column={column}
                  at={at}
                  onChange={(change) => onChange(withColumn(mapping, at, change))}
                />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {seen.rows.map((row) => (
            <tr key={row.line}>
              <td className="mapping-line faint">{row.line}</td>
              <td className="mapping-time mono">
                {row.time ?? <span className="mapping-bad">not parsed</span>}
              </td>
              {columns.map((column, at) => (
                <td
                  key={at}
                  className={cx(
                    'mono',
                    column.role === 'value' && 'mapping-number',
                    column.role === 'ignore' && 'mapping-left-out',
                    row.bad.includes(at) && 'mapping-bad',
                  )}
                  title={row.cells[at]}
                >
                  {row.cells[at] ?? ''}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {seen.rows.length === 0 && <p className="muted mapping-empty">No rows below the header.</p>}
      {hidden > 0 && (
        <p className="muted mapping-empty">
          {hidden === 1 ? '1 more column is' : `${hidden} more columns are`} read as guessed; the
          first {SHOWN_COLUMNS} are shown.
        </p>
      )}
    </div>
  )
}

function ColumnHead({
  column,
  at,
  onChange,
}: {
  readonly column: TableMapping['columns'][number]
  readonly at: number
  readonly onChange: (change: Partial<TableMapping['columns'][number]>) => void
}) {
  const name = `column ${at + 1}, ${column.name}`
  return (
    <div className="mapping-head">
      <span className="mapping-name" title={column.name}>
        {column.name}
      </span>
      <select
        className="select"
        aria-label={`Role of ${name}`}
        value={column.role}
        onChange={(event) => onChange({ role: event.target.value as Role })}
      >
        {ROLES.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
      {column.role === 'value' ? (
        <>
          <div className="mapping-pair">
            <select
              className="select"
              aria-label={`Kind of ${name}`}
              value={column.kind}
              onChange={(event) => onChange({ kind: event.target.value as typeof column.kind })}
            >
              {KINDS.map(([value, words]) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
            </select>
            <input
              className="input"
              aria-label={`Unit of ${name}`}
              placeholder="unit"
              maxLength={40}
              value={column.unit ?? ''}
              onChange={(event) => onChange({ unit: event.target.value || null })}
            />
          </div>
          <input
            className="input"
            aria-label={`Name of the series of ${name}`}
            placeholder="same as the header"
            maxLength={300}
            value={column.series ?? ''}
            onChange={(event) => onChange({ series: event.target.value || null })}
          />
        </>
      ) : null}
    </div>
  )
}
