/**
 * A table of 28 px rows: sticky head, sort by column, virtual scroll past 80 rows, copy as TSV,
 * arrow keys, j/k, Home and End between rows. Roles are a grid's, as rows can be chosen.
 */
import { useVirtualizer } from '@tanstack/react-virtual'
import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useWidth } from '@/charts/useWidth'
import { CopyButton } from '@/ui/controls/CopyButton'
import { cx } from '@/ui/controls/cx'
import { Tooltip, useTip } from '@/ui/display/Tooltip'
import './table.css'

/** Height of a row of one line in pixels; `--row` of the styles. */
const ROW = 28

export type Column<Row> = {
  readonly key: string
  readonly head: ReactNode
  /** Tooltip of a short head. */
  readonly title?: string
  readonly cell: (row: Row) => ReactNode
  /** Number: right-aligned. */
  readonly kind?: 'text' | 'number'
  /** A CSS grid track: '120px', 'minmax(160px, 2fr)'. */
  readonly width?: string
  /** Sort key of a row; null sorts last. A column without it cannot be sorted. */
  readonly sort?: (row: Row) => string | number | null
  /** The plain text for TSV; defaults to the sort value. */
  readonly text?: (row: Row) => string
  /** Hidden where not all columns fit, the last of these first; the copy still has it. */
  readonly optional?: boolean
}

export type Sort = { readonly key: string; readonly down: boolean }

export function Table<Row>({
  rows,
  columns: all,
  rowKey,
  label,
  sort: given,
  onSort,
  presorted = false,
  selected,
  onSelect,
  rowClass,
  copy = false,
  fill = false,
  virtualFrom = 80,
  rowHeight: heightOf = ROW,
}: {
  readonly rows: readonly Row[]
  readonly columns: readonly Column<Row>[]
  readonly rowKey: (row: Row) => string
  /** Name of the table for screen readers. */
  readonly label: string
  /** Controlled sort (URL); without it the table keeps its own. Null: the given order. */
  readonly sort?: Sort | null
  readonly onSort?: (sort: Sort | null) => void
  /** The rows are one page that the server has sorted by `sort`. */
  readonly presorted?: boolean
  readonly selected?: string | null
  /** Makes rows selectable by click, Enter and arrow keys. */
  readonly onSelect?: (row: Row) => void
  readonly rowClass?: (row: Row) => string | false | undefined
  /** Shows the "Copy as TSV" button. */
  readonly copy?: boolean
  /** Takes the height of its container and scrolls inside. */
  readonly fill?: boolean
  readonly virtualFrom?: number
  /** Pixels, for cells of several lines; by the width of the table, where that decides how many. */
  readonly rowHeight?: number | ((width: number) => number)
}) {
  const [frame, width] = useWidth<HTMLDivElement>()
  const rowHeight = typeof heightOf === 'number' ? heightOf : heightOf(width)
  const columns = useMemo(() => fitting(all, width), [all, width])
  const [own, setOwn] = useState<Sort | null>(null)
  /** The focused row, where rows cannot be selected. */
  const [walked, setWalked] = useState<string | null>(null)
  const sort = given === undefined ? own : given
  const setSort = onSort ?? setOwn
  const sorted = useMemo(
    () => (presorted ? rows : sortRows(rows, all, sort)),
    [rows, all, sort, presorted],
  )
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = fill && sorted.length > virtualFrom
  const virtualizer = useVirtualizer({
    count: virtual ? sorted.length : 0,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollPaddingStart: ROW,
  })
  useEffect(() => virtualizer.measure(), [virtualizer, rowHeight])
  const least = leastOf(columns)
  const template = columns.map((column) => column.width ?? 'minmax(80px, 1fr)').join(' ')
  const shown = virtual
    ? virtualizer.getVirtualItems().map((item) => ({ index: item.index, top: item.start }))
    : sorted.map((_, index) => ({ index, top: 0 }))

  const isChosen = (row: Row | undefined) =>
    row !== undefined && selected != null && rowKey(row) === selected
  const here = onSelect ? selected : walked
  const isHere = (row: Row | undefined) => row !== undefined && here != null && rowKey(row) === here

  const move = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return
    if (
      event.target instanceof HTMLElement &&
      /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)
    )
      return
    event.preventDefault()
    const at = sorted.findIndex(isHere)
    const next = Math.min(sorted.length - 1, Math.max(0, at < 0 && step === 1 ? 0 : at + step))
    const row = sorted[next]
    if (!row) return
    if (onSelect) onSelect(row)
    else setWalked(rowKey(row))
    if (virtual) virtualizer.scrollToIndex(next)
    requestAnimationFrame(() =>
      scroller.current?.querySelector<HTMLElement>(`[data-index="${next}"]`)?.focus(),
    )
  }

  // Tab reaches one row: the selected one, or the first when that is not drawn.
  const stop = shown.some(({ index }) => isHere(sorted[index]))
    ? isHere
    : (row: Row | undefined) => row !== undefined && row === sorted[shown[0]?.index ?? -1]

  const body = shown.map(({ index, top }) => {
    const row = sorted[index]
    if (row === undefined) return null
    const key = rowKey(row)
    return (
      <TableRow<Row>
        key={key}
        row={row}
        index={index}
        columns={columns}
        {...(virtual ? { top } : {})}
        reachable={stop(row)}
        chosen={isChosen(row)}
        className={rowClass?.(row)}
        {...(onSelect ? { onSelect } : { onFocus: () => setWalked(key) })}
      />
    )
  })

  return (
    <div ref={frame} className={cx('table-wrap', fill && 'table-fill')}>
      <div
        ref={scroller}
        className="table scroll"
        role="grid"
        aria-label={label}
        aria-rowcount={sorted.length + 1}
        style={{
          ['--columns' as string]: template,
          ['--least' as string]: `${least}px`,
          ...(rowHeight === ROW ? {} : { ['--row-height' as string]: `${rowHeight}px` }),
        }}
        onKeyDown={move}
      >
        <TableHead columns={columns} sort={sort} onSort={setSort} />
        {virtual ? (
          <div style={{ position: 'relative', height: virtualizer.getTotalSize() }}>{body}</div>
        ) : (
          body
        )}
      </div>
      {copy && (
        <div className="table-tools">
          <CopyButton text={() => toTsv(sorted, all)}>Copy as TSV</CopyButton>
        </div>
      )}
    </div>
  )
}

function TableHead<Row>({
  columns,
  sort,
  onSort,
}: {
  readonly columns: readonly Column<Row>[]
  readonly sort: Sort | null
  readonly onSort: (sort: Sort | null) => void
}) {
  const { tip, show, hide } = useTip<string>()
  return (
    <div className="tr th-row" role="row" aria-rowindex={1}>
      {columns.map((column) => (
        <div
          key={column.key}
          role="columnheader"
          aria-description={column.title}
          onMouseEnter={({ currentTarget }) => column.title && show(column.title, currentTarget)}
          onMouseLeave={hide}
          onFocus={({ currentTarget }) => column.title && show(column.title, currentTarget, 0)}
          onBlur={hide}
          aria-sort={
            sort?.key === column.key ? (sort.down ? 'descending' : 'ascending') : undefined
          }
          className={cx('th', column.kind === 'number' && 'td-number')}
        >
          {column.sort ? (
            <button
              type="button"
              className="th-button"
              onClick={() => onSort(nextSort(sort, column.key, column.kind === 'number'))}
            >
              {column.head}
              <span className="th-arrow" aria-hidden="true">
                {sort?.key === column.key ? (sort.down ? '↓' : '↑') : ''}
              </span>
            </button>
          ) : (
            column.head
          )}
        </div>
      ))}
      <Tooltip tip={tip} onHide={hide}>
        {(words) => words}
      </Tooltip>
    </div>
  )
}

function TableRow<Row>({
  row,
  index,
  columns,
  top,
  reachable,
  chosen,
  className,
  onSelect,
  onFocus,
}: {
  readonly row: Row
  readonly index: number
  readonly columns: readonly Column<Row>[]
  /** Pixels from the top, when only visible rows are drawn. */
  readonly top?: number
  /** Whether Tab reaches the row. */
  readonly reachable: boolean
  readonly chosen: boolean
  readonly className: string | false | undefined
  readonly onSelect?: (row: Row) => void
  readonly onFocus?: () => void
}) {
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={onSelect ? chosen : undefined}
      data-index={index}
      tabIndex={reachable ? 0 : -1}
      onFocus={onFocus}
      className={cx('tr', onSelect && 'tr-choosable', chosen && 'tr-chosen', className)}
      style={top === undefined ? undefined : { position: 'absolute', top, left: 0, right: 0 }}
      onMouseOver={nameCutCell}
      onClick={
        onSelect &&
        ((event) => {
          // A click on a link or a button, or a text selection, does not select the row.
          if ((event.target as HTMLElement).closest('a,button,input,select,label')) return
          if (window.getSelection()?.toString()) return
          onSelect(row)
        })
      }
      onKeyDown={
        onSelect &&
        ((event) => {
          if (event.key === 'Enter' && event.target === event.currentTarget) onSelect(row)
        })
      }
    >
      {columns.map((column) => (
        <div
          key={column.key}
          role="gridcell"
          className={cx('td', column.kind === 'number' && 'td-number')}
        >
          {column.cell(row)}
        </div>
      ))}
    </div>
  )
}

/** Give a cell whose text is cut off a tooltip with all of it. */
function nameCutCell({ target }: MouseEvent) {
  const cell = (target as Element).closest<HTMLElement>('.td')
  if (!cell || (target as Element).closest('[title]:not(.td)')) return
  const isCut = cell.scrollWidth > cell.clientWidth
  if (isCut) cell.title = cell.textContent
  else cell.removeAttribute('title')
}

/** Rows that a key moves by; Home and End move to the ends. */
const STEPS: Readonly<Record<string, number>> = {
  ...{ ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 },
  ...{ PageDown: 20, PageUp: -20, Home: -Infinity, End: Infinity },
}

/** Return the columns that fit a width in pixels: optional ones go, the last first. */
function fitting<Row>(columns: readonly Column<Row>[], width: number): readonly Column<Row>[] {
  let over = width > 0 ? leastOf(columns) - width : 0
  return columns
    .toReversed()
    .filter((column) => {
      if (!column.optional || over <= 0) return true
      over -= leastWidth(column.width)
      return false
    })
    .toReversed()
}

const leastOf = <Row,>(columns: readonly Column<Row>[]): number =>
  columns.reduce((sum, column) => sum + leastWidth(column.width), 0)

/** Return the minimum width of a grid track in pixels, so that all rows scroll sideways together. */
function leastWidth(width = 'minmax(80px, 1fr)'): number {
  return Number(/(\d+(?:\.\d+)?)px/.exec(width)?.[1] ?? 80)
}

/** Return the next sort of a column: natural (numbers down, text up), reversed, then the given order. */
export function nextSort(sort: Sort | null, key: string, downFirst: boolean): Sort | null {
  if (sort?.key !== key) return { key, down: downFirst }
  return sort.down === downFirst ? { key, down: !downFirst } : null
}

/** Sort rows by a column, stably; unknown values come last in both directions. */
export function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sort: Sort | null,
): readonly Row[] {
  const by = sort && columns.find((column) => column.key === sort.key)?.sort
  if (!by) return rows
  const sign = sort.down ? -1 : 1
  return [...rows].sort((a, b) => {
    const x = by(a)
    const y = by(b)
    if (x === y) return 0
    if (x === null) return 1
    if (y === null) return -1
    if (typeof x === 'string' && typeof y === 'string')
      return sign * x.localeCompare(y, 'en', { numeric: true })
    return sign * (x < y ? -1 : 1)
  })
}

/** Format rows as tab-separated text; tabs and line ends inside a cell become spaces. */
export function toTsv<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const kept = columns.filter((column) => column.text ?? column.sort)
  const clean = (value: string) => value.replace(/[\t\r\n]+/g, ' ')
  const head = kept.map((column) =>
    clean(typeof column.head === 'string' ? column.head : (column.title ?? column.key)),
  )
  const lines = rows.map((row) =>
    kept.map((column) => clean(column.text?.(row) ?? String(column.sort?.(row) ?? ''))).join('\t'),
  )
  return [head.join('\t'), ...lines].join('\n')
}
