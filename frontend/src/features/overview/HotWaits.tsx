/** Hot waits: where threads waited, by position in the source code and by latch. */
import type { HotLatchDoc, HotWaitDoc, Locator, Overview } from '@/api/schema'
import { oneOf, useUrlState } from '@/state/url'
import { ShareBar } from '@/ui/display/Bar'
import { Button } from '@/ui/controls/Button'
import { Evidence } from '@/ui/evidence/evidence'
import { type Column, Table } from '@/ui/table/Table'
import { Measured, ShareValue } from '@/ui/display/Value'
import { Nothing, Section } from './Section'
import { unansweredOf } from '@/ui/evidence/Unanswered'

const BY = oneOf(['position', 'latch'] as const)

export function HotWaits({ overview }: { readonly overview: Overview }) {
  const [by, setBy] = useUrlState<'position' | 'latch'>('hot', BY, 'position')
  const { hot_waits: waits, hot_latches: latches } = overview
  return (
    <Section
      title="Hot waits"
      unanswered={unansweredOf(overview, ['hot_waits', 'hot_latches'])}
      note={
        waits.length > 0 && (
          <>
            <TimeOfLatches overview={overview} />
            <span className="segments" role="group" aria-label="Group the waits by">
              {(['position', 'latch'] as const).map((word) => (
                <Button key={word} size="small" pressed={by === word} onClick={() => setBy(word)}>
                  by {word}
                </Button>
              ))}
            </span>
          </>
        )
      }
    >
      {waits.length === 0 ? (
        <Nothing>
          {overview.headline
            ? 'No status dump inside a stall lists a semaphore wait.'
            : 'Available after the analysis.'}
        </Nothing>
      ) : by === 'position' ? (
        <Table
          label="Hot waits by position"
          rows={waits}
          columns={positionColumns(overview.incident.id)}
          rowKey={(row) => `${row.file}:${row.line}:${row.mode}:${row.latch_label}`}
          copy
        />
      ) : (
        <Table
          label="Hot waits by latch"
          rows={latches}
          columns={LATCH}
          rowKey={(row) => row.label}
          copy
        />
      )}
    </Section>
  )
}

/** How much latches matter at all, beside which the shares of the table are read. */
function TimeOfLatches({ overview }: { readonly overview: Overview }) {
  const classes = overview.active_sessions?.classes
  if (!classes) return null
  const share = classes.find((row) => row.id === 'latch')?.share ?? 0
  return (
    <span className="hot-waits-time">
      Latches: <ShareValue value={share} /> of session time
    </span>
  )
}

const shareCell = (share: number) => (
  <>
    <ShareBar value={share} tone="waiting" width={48} />{' '}
    <span className="bar-value">
      <ShareValue value={share} />
    </span>
  </>
)

/** One place of many: the cell has room for the lines of one. */
function firstPlace(example: Locator): Locator {
  const [only = {}] = example.ranges
  return { ...example, ...only, text: '', ranges: [] }
}

const positionColumns = (incidentId: string): readonly Column<HotWaitDoc>[] => [
  {
    key: 'position',
    head: 'Waits at',
    width: 'minmax(150px, 1fr)',
    sort: (row) => `${row.file}:${row.line}`,
    cell: (row) => (
      <span className="mono" title={row.meaning}>
        {row.file}:{row.line}
      </span>
    ),
  },
  {
    key: 'mode',
    optional: true,
    head: 'Mode',
    width: '64px',
    sort: (row) => row.mode,
    cell: (row) => row.mode,
  },
  {
    key: 'latch',
    head: 'Waiting for',
    width: 'minmax(160px, 1.3fr)',
    sort: (row) => row.latch_label,
    cell: (row) => (
      <span title={`${row.latch_label}. ${row.meaning}`}>
        {row.latch ?? <span className="mono">{row.latch_label}</span>}
      </span>
    ),
  },
  {
    key: 'most',
    head: 'Peak',
    title: 'Most threads at the same moment',
    kind: 'number',
    width: '76px',
    sort: (row) => row.max_at_once,
    cell: (row) => <Measured value={row.max_at_once} />,
  },
  {
    key: 'share',
    head: 'Share',
    title: 'Share of the waits that the status dumps inside the stall list',
    kind: 'number',
    width: '124px',
    sort: (row) => row.share,
    cell: (row) => shareCell(row.share),
  },
  {
    key: 'longest',
    head: 'Longest',
    kind: 'number',
    width: '76px',
    sort: (row) => row.max_waited_s,
    cell: (row) => <Measured value={row.max_waited_s} unit="s" />,
  },
  {
    key: 'example',
    optional: true,
    head: 'Example',
    width: 'minmax(120px, 0.8fr)',
    cell: (row) =>
      row.example ? (
        <Evidence incidentId={incidentId} locator={firstPlace(row.example)} />
      ) : (
        <span className="faint">–</span>
      ),
  },
]

const LATCH: readonly Column<HotLatchDoc>[] = [
  {
    key: 'latch',
    head: 'Latch',
    width: 'minmax(180px, 1.4fr)',
    sort: (row) => row.label,
    cell: (row) => (
      <span title={row.meaning}>
        {row.latch ?? row.label} <span className="mono faint">{row.latch ? row.label : ''}</span>
      </span>
    ),
  },
  {
    key: 'addresses',
    optional: true,
    head: 'Addresses',
    title: 'How many latches of this name were waited for, and the address that most waits name',
    width: 'minmax(150px, 1fr)',
    sort: (row) => row.addresses,
    cell: (row) =>
      row.addresses > 0 ? (
        <span className="ellipsis" title={addressWords(row)}>
          {row.addresses > 1 && <Measured value={row.addresses} />}
          {row.addresses > 1 && row.top_address !== null && ', mostly '}
          <span className="mono faint">{row.top_address}</span>
        </span>
      ) : (
        <span className="faint">not printed</span>
      ),
    text: addressWords,
  },
  {
    key: 'most',
    head: 'Peak',
    kind: 'number',
    width: '76px',
    sort: (row) => row.max_at_once,
    cell: (row) => <Measured value={row.max_at_once} />,
  },
  {
    key: 'share',
    head: 'Share',
    title: 'Share of the waits that the status dumps inside the stall list',
    kind: 'number',
    width: '124px',
    sort: (row) => row.share,
    cell: (row) => shareCell(row.share),
  },
  {
    key: 'positions',
    head: 'Positions',
    width: 'minmax(180px, 2fr)',
    cell: (row) => (
      <span className="mono faint" title={row.positions.join('\n')}>
        {row.positions.join(', ')}
      </span>
    ),
    text: (row) => row.positions.join(', '),
  },
]

function addressWords({ addresses, top_address }: HotLatchDoc): string {
  if (addresses === 0) return 'not printed'
  if (top_address === null) return String(addresses)
  return addresses === 1 ? top_address : `${addresses}, mostly ${top_address}`
}
