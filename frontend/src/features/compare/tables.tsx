/** The columns of a comparison: one per side, and the ratio to the reference with its spread. */
import { formatCount, formatNumber, formatRatio, formatTimes, quantity } from '@/format'
import { Chip } from '@/ui/controls/Chip'
import type { Column } from '@/ui/table/Table'
import { Measured } from '@/ui/display/Value'
import type { SidesDoc } from './queries'
import { NAMES } from '@/state/sides'

type Series = SidesDoc['series'][number]
type Wait = SidesDoc['waits'][number]
type Stack = SidesDoc['stacks'][number]
type Setting = SidesDoc['settings'][number]
type TableRow = SidesDoc['tables'][number]['table']['rows'][number] & {
  readonly table: string
  readonly at: number
  readonly side: number
}
type Spread = NonNullable<Series['levels'][number]>

export const fullName = (row: Series) => row.series + (row.labels && `{${row.labels}}`)

const width = (sides: number) => (sides > 3 ? 'minmax(90px, 1fr)' : 'minmax(130px, 1fr)')
const spreadWord = (item: Spread) =>
  item.runs > 1 ? `minimum and maximum of ${item.runs} runs` : 'quartiles of the samples'

const others = (sides: number, reference: number) =>
  Array.from({ length: sides }, (_, side) => side).filter((side) => side !== reference)

/** Build one number column per side. */
function perSide<Row>(
  sides: number,
  value: (row: Row, side: number) => number | null,
): readonly Column<Row>[] {
  return Array.from({ length: sides }, (_, side) => ({
    key: NAMES[side] ?? '',
    head: NAMES[side],
    kind: 'number' as const,
    width: width(sides),
    cell: (row: Row) => <Measured value={value(row, side)} />,
    sort: (row: Row) => value(row, side),
  }))
}

/** Where two rows have one name, each says who measured it. */
const nameOf = (row: Series) => `${row.title} ${row.detail}`
function repeatedNames(rows: readonly Series[]): ReadonlySet<string> {
  const seen = new Set<string>()
  const names = rows.map(nameOf)
  return new Set(names.filter((name) => seen.has(name) || !seen.add(name)))
}

export function seriesColumns(
  sides: number,
  reference: number,
  rows: readonly Series[],
  onDraw: (series: string) => void,
): readonly Column<Series>[] {
  const repeated = repeatedNames(rows)
  return [
    {
      key: 'series',
      head: 'Series',
      width: 'minmax(220px, 2fr)',
      cell: (row) => (
        <button
          type="button"
          className="linklike ellipsis"
          title={`Chart ${row.title} for every side`}
          onClick={() => onDraw(fullName(row))}
        >
          {row.title}
          {row.detail && <span className="faint"> {row.detail}</span>}
          {row.source && repeated.has(nameOf(row)) && (
            <span className="faint"> by {row.source}</span>
          )}
        </button>
      ),
      sort: (row) => row.title,
    },
    ...Array.from({ length: sides }, (_, side): Column<Series> => ({
      key: NAMES[side] ?? '',
      head: NAMES[side],
      title: 'Median, range of the samples or runs, and their number',
      kind: 'number',
      width: sides > 3 ? 'minmax(110px, 1fr)' : 'minmax(170px, 1fr)',
      cell: (row) => <Level level={row.levels[side] ?? null} unit={row.unit} />,
      sort: (row) => row.levels[side]?.median ?? null,
    })),
    ...others(sides, reference).map((side): Column<Series> => {
      return {
        key: `ratio${side}`,
        head: `${NAMES[side]} / ${NAMES[reference]}`,
        title: 'Ratio of the medians; in brackets its lowest and highest value',
        kind: 'number',
        width: 'minmax(130px, 1fr)',
        cell: (row) => (
          <Ratio
            ratio={row.ratios[side] ?? null}
            from={row.levels[reference]?.median}
            to={row.levels[side]?.median}
          />
        ),
        sort: (row) => row.ratios[side]?.ratio ?? null,
      }
    }),
  ]
}

function Level({ level, unit }: { readonly level: Spread | null; readonly unit: string | null }) {
  if (!level) return <span className="faint">–</span>
  return (
    <span title={`${formatNumber(level.points)} samples; ${spreadWord(level)}`}>
      <Measured value={level.median} unit={unit} />
      <SpreadText of={level} unit={unit} />
    </span>
  )
}

/** Fewer samples than this stand beside their median; the tooltip has every number. */
const FEW_SAMPLES = 10

/** A spread: "8–15 · 3 runs", "71.5–113 MiB", "2–5 · 4 samples". */
function SpreadText({ of, unit = null }: { readonly of: Spread; readonly unit?: string | null }) {
  const number = of.runs > 1 ? `${of.runs} runs` : formatCount(of.points, 'sample')
  const parts = [
    of.low !== of.high && rangeText(of, unit),
    (of.runs > 1 || of.points < FEW_SAMPLES) && number,
  ].filter(Boolean)
  return <span className="faint spread">{parts.join(' · ')}</span>
}

/** The ends of a spread; the unit is the median's, unless bytes were scaled to another: "1–2", of loops. */
function rangeText({ low, high, median }: Spread, unit: string | null): string {
  const [from, to, middle] = [low, high, median].map((value) => quantity(value, unit))
  if (!from || !to || !middle) return ''
  if (!unit?.startsWith('B') && !unit?.startsWith('bytes')) return `${from.text}–${to.text}`
  const first = from.unit === to.unit ? from.text : `${from.text} ${from.unit}`
  return `${first}–${to.text}${to.unit === middle.unit && from.unit === to.unit ? '' : ` ${to.unit}`}`
}

/** How many times as much; no number is a multiple of 0, so that a rise from it is put in words. */
function Ratio({
  ratio,
  from,
  to,
}: {
  readonly ratio: Series['ratios'][number]
  readonly from: number | null | undefined
  readonly to: number | null | undefined
}) {
  if (!ratio) return from === 0 && to ? <span>from 0</span> : <span className="faint">–</span>
  const { low, high } = ratio
  const isSpread = low !== null && high !== null && low !== high && low > 0
  return (
    <span>
      {ratio.ratio === 0 ? 'fell to 0' : formatRatio(ratio.ratio)}
      {isSpread && (
        <span className="faint spread">
          {ratio.ratio < 1
            ? `${formatTimes(1 / high)}–${formatTimes(1 / low)}`
            : `${formatTimes(low)}–${formatTimes(high)}`}
        </span>
      )}
    </span>
  )
}

export const waitColumns = (sides: number): readonly Column<Wait>[] => [
  {
    key: 'place',
    head: 'Waits at, per dump',
    width: 'minmax(240px, 3fr)',
    cell: (row) => <span className="mono">{`${row.file}:${row.line}`}</span>,
    sort: (row) => `${row.file}:${row.line}`,
  },
  { key: 'mode', head: 'Mode', width: '100px', cell: (row) => row.mode, sort: (row) => row.mode },
  ...perSide<Wait>(sides, (row, side) => row.counts[side] ?? null),
]

export const stackColumns = (sides: number): readonly Column<Stack>[] => [
  {
    key: 'stack',
    head: 'Threads in, per sample',
    width: 'minmax(280px, 4fr)',
    cell: (row) => (
      <span className="mono ellipsis" title={row.stack.join('\n')}>
        {row.stack.slice(0, 6).join(' < ')}
      </span>
    ),
    sort: (row) => row.stack.join(),
  },
  {
    key: 'kind',
    head: 'Kind',
    width: '140px',
    cell: (row) =>
      row.category && (
        <Chip tone={row.category.endsWith('wait') ? 'waiting' : 'running'}>
          {row.category.replaceAll('_', ' ')}
        </Chip>
      ),
    sort: (row) => row.category,
  },
  ...perSide<Stack>(sides, (row, side) => row.counts[side] ?? null),
]

export const settingColumns = (sides: number): readonly Column<Setting>[] => [
  {
    key: 'name',
    head: 'Setting',
    width: 'minmax(240px, 2fr)',
    cell: (row) => <span className="mono">{row.name}</span>,
    sort: (row) => row.name,
  },
  ...Array.from({ length: sides }, (_, side): Column<Setting> => ({
    key: NAMES[side] ?? '',
    head: NAMES[side],
    width: 'minmax(110px, 1fr)',
    cell: (row) => <span className="mono ellipsis">{row.values[side] ?? '–'}</span>,
    sort: (row) => row.values[side] ?? null,
  })),
]

/** Return the columns of table differences, one side against the reference. */
export const tableColumns = (sides: number, reference: number): readonly Column<TableRow>[] => [
  {
    key: 'table',
    head: 'Table',
    width: 'minmax(140px, 1fr)',
    cell: (row) => (
      <span className="ellipsis" title={row.table}>
        {row.table}
      </span>
    ),
    sort: (row) => row.table,
  },
  {
    key: 'row',
    head: 'Row',
    width: 'minmax(180px, 2fr)',
    cell: (row) => (
      <span className="mono ellipsis" title={row.key.join(' · ')}>
        {row.key.join(' · ')}
      </span>
    ),
    sort: (row) => row.key.join(),
  },
  {
    key: 'what',
    head: 'What',
    width: 'minmax(120px, 1fr)',
    cell: (row) => row.column ?? row.state,
    sort: (row) => row.column ?? row.state,
  },
  {
    key: 'a',
    head: NAMES[reference],
    width: 'minmax(110px, 1fr)',
    cell: (row) => <Printed cell={row.a} runs={row.a_runs ?? null} />,
    sort: (row) => row.a,
  },
  ...(sides > 2
    ? [
        {
          key: 'side',
          head: 'Side',
          width: '60px',
          cell: (row: TableRow) => NAMES[row.side],
          sort: (row: TableRow) => row.side,
        },
      ]
    : []),
  {
    key: 'b',
    head: sides > 2 ? 'Side' : NAMES[1 - reference],
    width: 'minmax(110px, 1fr)',
    cell: (row) => <Printed cell={row.b} runs={row.b_runs ?? null} />,
    sort: (row) => row.b,
  },
  {
    key: 'ratio',
    head: `${sides > 2 ? 'Side' : NAMES[1 - reference]} / ${NAMES[reference]}`,
    kind: 'number',
    width: '110px',
    cell: (row) => <Measured value={row.ratio} />,
    sort: (row) => row.ratio,
  },
]

/** A table cell as printed, or the median of several runs. */
function Printed({ cell, runs }: { readonly cell: string | null; readonly runs: Spread | null }) {
  return (
    <span className="ellipsis" title={runs ? spreadWord(runs) : undefined}>
      <span className="mono">{cell}</span>
      {runs && <SpreadText of={runs} />}
    </span>
  )
}
