/** The series that moved, ranked, with the seconds before or after the onset. */
import { Link, useLocation } from 'react-router'
import type { Overview, ShiftDoc } from '@/api/schema'
import { formatDuration, formatRatio } from '@/format'
import { sharedSearch } from '@/state/url'
import { type Column, Table } from '@/ui/table/Table'
import { Measured } from '@/ui/display/Value'
import { aroundStall } from './links'
import { Nothing, Section } from './Section'
import { unansweredOf } from '@/ui/evidence/Unanswered'

export function Shifts({ overview }: { readonly overview: Overview }) {
  const { search } = useLocation()
  const stall = overview.stalls.find((item) => item.kind === 'stall')
  const link = (row: ShiftDoc) => {
    const extra = { series: row.series, ...(stall ? aroundStall(stall) : {}) }
    return `/incidents/${overview.incident.id}/timeline${sharedSearch(search, extra)}`
  }
  return (
    <Section
      title="What moved first"
      unanswered={unansweredOf(overview, ['shifts', 'series', 'baseline'])}
      note={
        overview.shifts.length > 0 &&
        'Strongest and earliest first. Medians of the baseline and of the stall'
      }
    >
      {overview.shifts.length === 0 ? (
        <Nothing>
          {overview.headline
            ? 'No series moved against its baseline, or there is no baseline in the capture.'
            : 'Available after the analysis.'}
        </Nothing>
      ) : (
        <Table
          label="What moved first"
          rows={overview.shifts}
          columns={columns(link)}
          rowKey={(row) => row.series}
          copy
        />
      )}
    </Section>
  )
}

/** The series in words; older analyses know its name only. */
const titleOf = ({ title, name }: ShiftDoc) => title || name

const columns = (link: (row: ShiftDoc) => string): readonly Column<ShiftDoc>[] => [
  {
    key: 'name',
    head: 'Series',
    width: 'minmax(180px, 2fr)',
    sort: titleOf,
    cell: (row) => (
      <Link to={link(row)} title={row.text || titleOf(row)}>
        {titleOf(row)}
      </Link>
    ),
  },
  {
    key: 'moved',
    head: 'Moved',
    title: 'Seconds before (−) or after (+) the onset',
    kind: 'number',
    width: '116px',
    sort: (row) => row.first_moved_s,
    cell: (row) => <Moved row={row} />,
  },
  {
    key: 'baseline',
    head: 'Before',
    kind: 'number',
    width: '124px',
    sort: (row) => row.baseline,
    cell: (row) => <Measured value={row.baseline} unit={row.unit} />,
  },
  {
    key: 'stall',
    head: 'During',
    kind: 'number',
    width: '124px',
    sort: (row) => row.stall,
    cell: (row) => <Measured value={row.stall} unit={row.unit} />,
  },
  {
    key: 'ratio',
    head: 'Change',
    kind: 'number',
    width: '104px',
    sort: (row) => row.ratio,
    cell: (row) => <span title={row.direction === 'up' ? 'rose' : 'fell'}>{changeOf(row)}</span>,
  },
  {
    key: 'score',
    head: 'Score',
    title: 'Distance of the two medians, in units of the spread before the stall',
    kind: 'number',
    width: '72px',
    sort: (row) => row.score,
    cell: (row) => <Measured value={row.score} />,
  },
]

/** How many times as much, or that it came from or fell to nothing. */
function changeOf({ ratio, direction, baseline, stall }: ShiftDoc): string {
  if (stall === 0 && baseline !== 0) return 'fell to 0'
  if (ratio !== null) return formatRatio(ratio)
  if (baseline === 0) return direction === 'up' ? 'rose from 0' : 'fell from 0'
  return direction === 'up' ? 'rose' : 'fell'
}

/** The time of a shift; within its uncertainty it shows no order. */
function Moved({ row }: { readonly row: ShiftDoc }) {
  if (row.first_moved_s === null) return <span className="faint">–</span>
  const spread = row.uncertainty_s
  const with_ = spread !== null && Math.abs(row.first_moved_s) <= spread
  if (with_) return <span title={`within ± ${spread} s of the onset`}>with the onset</span>
  return (
    <span title={spread === null ? undefined : `± ${spread} s`}>
      {formatDuration(Math.abs(row.first_moved_s))}
      <span className="unit">{row.first_moved_s < 0 ? 'before' : 'after'}</span>
    </span>
  )
}
