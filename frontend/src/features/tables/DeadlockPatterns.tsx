/** The patterns of the deadlocks: count, first and last time, rate; the chosen one filters the list. */
import type { DeadlockPatternOut } from '@/api/schema'
import { formatMeasured, formatNumber } from '@/format'
import { type Column, Table } from '@/ui/table/Table'
import { Time } from '@/ui/display/Value'

/** So many patterns are shown whole, without a scroller. */
const SHORT = 4

export function DeadlockPatterns({
  patterns,
  chosen,
  onChoose,
}: {
  readonly patterns: readonly DeadlockPatternOut[]
  readonly chosen: string
  readonly onChoose: (pattern: string) => void
}) {
  const isShort = patterns.length <= SHORT
  return (
    <div
      className={isShort ? 'tables-few' : 'deadlock-patterns'}
      style={isShort ? undefined : { ['--rows' as string]: patterns.length }}
    >
      <Table<DeadlockPatternOut>
        fill={!isShort}
        label="Patterns of the deadlocks"
        rows={patterns}
        columns={COLUMNS}
        rowKey={(pattern) => pattern.id}
        selected={chosen || null}
        onSelect={(pattern) => onChoose(pattern.id)}
      />
    </div>
  )
}

/** The mean rate in the unit that gives at least 1, if any: "8.6 per minute", "3 per day". */
function rateText(perMinute: number | null): string | null {
  if (perMinute === null) return null
  if (perMinute >= 1) return `${formatMeasured(perMinute)} per minute`
  if (perMinute * 60 >= 1) return `${formatMeasured(perMinute * 60)} per hour`
  return `${formatMeasured(perMinute * 1440)} per day`
}

const statementsOf = (pattern: DeadlockPatternOut) => pattern.shapes.join('  ⟷  ')
const tablesOf = (pattern: DeadlockPatternOut) => pattern.tables.join(', ')

const COLUMNS: Column<DeadlockPatternOut>[] = [
  {
    key: 'count',
    head: 'Deadlocks',
    kind: 'number',
    width: '88px',
    cell: (pattern) => formatNumber(pattern.count, 0),
    sort: (pattern) => pattern.count,
  },
  {
    key: 'kind',
    head: 'Pattern',
    width: 'minmax(180px, 2fr)',
    cell: (pattern) => <span title={pattern.kind_label}>{pattern.kind_label}</span>,
    sort: (pattern) => pattern.kind_label,
  },
  {
    key: 'statements',
    head: 'Statements',
    width: 'minmax(220px, 4fr)',
    cell: (pattern) => (
      <span className="mono" title={statementsOf(pattern)}>
        {statementsOf(pattern) || <span className="faint">not printed</span>}
      </span>
    ),
    sort: statementsOf,
  },
  {
    key: 'tables',
    head: 'Tables',
    width: 'minmax(120px, 2fr)',
    cell: (pattern) => (
      <span className="mono" title={tablesOf(pattern)}>
        {tablesOf(pattern) || <span className="faint">not printed</span>}
      </span>
    ),
    sort: tablesOf,
  },
  {
    key: 'first',
    head: 'First',
    width: '164px',
    cell: (pattern) => <Time at={pattern.first} />,
    sort: (pattern) => pattern.first,
  },
  {
    key: 'last',
    head: 'Last',
    width: '164px',
    cell: (pattern) => <Time at={pattern.last} />,
    sort: (pattern) => pattern.last,
  },
  {
    key: 'rate',
    head: 'Rate',
    title: 'The mean rate between first and last',
    kind: 'number',
    width: '128px',
    cell: (pattern) => (
      <span title={`at most ${pattern.most_in_a_minute} in a minute`}>
        {rateText(pattern.per_minute) ?? <span className="faint">–</span>}
      </span>
    ),
    sort: (pattern) => pattern.per_minute,
  },
]
