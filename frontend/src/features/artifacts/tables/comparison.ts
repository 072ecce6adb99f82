/** Logic of a table comparison: labels, marks and the exported text. */
import type { ChangedRow, TableComparison, TableRef } from '@/api/schema'
import type { Rows } from '@/charts/exportSvg'

export type RowState = ChangedRow['state']
export const STATES: readonly RowState[] = ['added', 'gone', 'changed', 'same']
/** Row states that are shown by default. */
export const DIFFERENT: readonly RowState[] = ['added', 'gone', 'changed']
/** A second cue in addition to colour. */
export const MARKS: Record<RowState, string> = { added: '+', gone: '−', changed: '≠', same: '=' }

/** Format the exact difference of the server with its sign: "+291", "−0.000035". */
export function signed(change: string): string {
  return change.startsWith('-') ? `−${change.slice(1)}` : `+${change}`
}

/** List the tables to compare with: those with the same columns, then those that share some. */
export function partners(
  tables: readonly TableRef[],
  chosen: TableRef | undefined,
): { readonly same: readonly TableRef[]; readonly some: readonly TableRef[] } {
  if (!chosen) return { same: tables, some: [] }
  const others = tables.filter((table) => table !== chosen)
  const mine = new Set(chosen.columns)
  const isSame = (item: TableRef) =>
    item.columns.length === mine.size && item.columns.every((name) => mine.has(name))
  return {
    same: others.filter(isSame),
    some: others.filter((item) => !isSame(item) && item.columns.some((name) => mine.has(name))),
  }
}

/** Return the best partner: the same name in another artifact, else the same columns. */
export function likeliest(
  tables: readonly TableRef[],
  chosen: TableRef | undefined,
): TableRef | undefined {
  if (!chosen) return undefined
  const { same } = partners(tables, chosen)
  return same.find(({ name }) => name === chosen.name) ?? same[0]
}

/** Return the default pair of tables, the earlier first where their files are dated. */
export function firstPair(tables: readonly TableRef[]): readonly (TableRef | undefined)[] {
  const item = tables[0]
  const other = likeliest(tables, item)
  const [a, b] = [item, other].map((table) => table && STAMP.exec(table.path)?.[0])
  return a && b && b < a ? [other, item] : [item, other]
}

/** The last timestamp that pt-stalk writes before a file name. */
const STAMP = /\d{4}_\d\d_\d\d_\d\d_\d\d_\d\d(?=-[^/]*$)/

/** Return the indexes of columns that differ in any row; all of them when no common row differs. */
export function differing(found: TableComparison): readonly number[] {
  const all = found.columns.map((_, at) => at)
  const both = found.rows.filter(({ state }) => state === 'changed')
  const values = all.filter((at) =>
    both.some(({ cells }) => {
      const cell = cells[at]
      return cell !== undefined && cell.before !== cell.after && cell.change !== '0'
    }),
  )
  return values.length ? values : all
}

/** Format the comparison as tab-separated text. */
export function comparisonTsv(found: TableComparison): string {
  const clean = (cell: string | number | null) =>
    cell === null ? '' : String(cell).replace(/[\t\r\n]+/g, ' ')
  const { columns, rows } = comparisonRows(found)
  return [columns, ...rows].map((cells) => cells.map(clean).join('\t')).join('\n')
}

/** Return the comparison as rows: state, key, then before, after, difference and ratio per column. */
export function comparisonRows(found: TableComparison): Rows {
  const head = [
    'state',
    ...found.keys,
    ...found.columns.flatMap((name) => [
      `${name} before`,
      `${name} after`,
      `${name} difference`,
      `${name} ratio`,
    ]),
  ]
  const lines = found.rows.map((row) => [
    row.state,
    ...row.key,
    ...row.cells.flatMap((cell) => [cell.before, cell.after, cell.change, cell.ratio]),
  ])
  return { columns: head, rows: lines }
}
