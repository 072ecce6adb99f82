/** Pure edits of the draft of a table mapping, which the server completes. */
import type { MappingColumn, MappingDraft, TableMapping } from '@/api/schema'

export type Role = MappingColumn['role']
type Draft = MappingDraft

/** Maximum of columns in the dialog; the rest keep the guessed mapping. */
export const SHOWN_COLUMNS = 40

export const DELIMITERS: readonly (readonly [string, string])[] = [
  [',', 'comma  ,'],
  [';', 'semicolon  ;'],
  ['\t', 'tab'],
  ['|', 'bar  |'],
  [' ', 'blanks'],
]
export const DECIMALS: readonly (readonly [string, string])[] = [
  ['.', 'point  1,234.5'],
  [',', 'comma  1.234,5'],
]
export const TIME_FORMATS: readonly (readonly [TableMapping['time_format'], string])[] = [
  ['auto', 'ISO 8601, date output, or epoch by its digits'],
  ['dmy', 'day first  20.11.2026 22:19'],
  ['mdy', 'month first  11/20/2026 10:19 PM'],
  ['epoch_s', 'epoch, seconds'],
  ['epoch_ms', 'epoch, milliseconds'],
  ['epoch_us', 'epoch, microseconds'],
  ['epoch_ns', 'epoch, nanoseconds'],
  ['excel', 'spreadsheet days  46346.93'],
  ['elapsed_s', 'seconds since the start'],
]
export const ROLES: readonly (readonly [Role, string])[] = [
  ['time', 'time'],
  ['value', 'value'],
  ['label', 'label'],
  ['host', 'host'],
  ['metric', 'metric name'],
  ['ignore', 'leave out'],
]
export const KINDS: readonly (readonly [MappingColumn['kind'] & string, string])[] = [
  ['gauge', 'level'],
  ['counter', 'counter'],
  ['rate', 'rate'],
]

/** Turn a mapping into a draft in which every choice is explicit. */
export const draftOf = (mapping: TableMapping): Draft => ({
  delimiter: mapping.delimiter,
  decimal: mapping.decimal,
  header_line: mapping.header_line,
  time_format: mapping.time_format,
  zone: mapping.zone,
  columns: mapping.columns,
})

/** Change the separator; everything but the zone is guessed again. */
export const withDelimiter = (mapping: TableMapping, delimiter: string): Draft => ({
  delimiter,
  zone: mapping.zone,
})

/** Change the header line; the columns are guessed again. */
export const withHeader = (mapping: TableMapping, header_line: number): Draft => ({
  delimiter: mapping.delimiter,
  decimal: mapping.decimal,
  zone: mapping.zone,
  header_line,
})

/**
 * Change one column. Only one column can be the host and one the metric name: the previous one becomes
 * a label. The time may use two adjacent columns; otherwise it moves.
 */
export function withColumn(
  mapping: TableMapping,
  at: number,
  change: Partial<TableMapping['columns'][number]>,
): Draft {
  const columns = mapping.columns.map((column, index) => {
    if (index === at) return { ...column, ...change }
    if (change.role === 'time' && column.role === 'time' && Math.abs(index - at) !== 1)
      return { ...column, role: 'ignore' as const }
    if ((change.role === 'host' || change.role === 'metric') && column.role === change.role)
      return { ...column, role: 'label' as const }
    return column
  })
  return { ...draftOf(mapping), columns }
}

/** Format the name of a series: "metric.qps {shard=7} of db-1". */
export function seriesWords(series: {
  readonly name: string
  readonly labels: string
  readonly host: string | null
}): string {
  const labels = series.labels ? ` {${series.labels}}` : ''
  return `${series.name}${labels}${series.host ? ` of ${series.host}` : ''}`
}
