/** The deadlocks: patterns, a list without repeats, and the selected one drawn and explained. */
import { formatCount } from '@/format'
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import type { DeadlockList, DeadlockOut } from '@/api/schema'
import { svgOfElement } from '@/charts/exportSvg'
import { useIncidentId, useRange } from '@/state/incident'
import { text, useUrlChange, useUrlState } from '@/state/url'
import { Button } from '@/ui/controls/Button'
import { Chip } from '@/ui/controls/Chip'
import { CopyButton } from '@/ui/controls/CopyButton'
import { ExportMenu } from '@/ui/controls/ExportMenu'
import { Loaded } from '@/ui/display/Loaded'
import type { Column } from '@/ui/table/Table'
import { Duration, Time } from '@/ui/display/Value'
import { DeadlockPatterns } from './DeadlockPatterns'
import { LanesPicture } from './LanesPicture'
import { cycleText } from './cycle'
import { NotCollected } from './parts'
import { deadlocksQuery } from './queries'
import { RecordTable } from './RecordTable'
import { Lines, PinRow } from './Source'

export function DeadlocksTab() {
  const incidentId = useIncidentId()
  const [range] = useRange()
  const [pattern] = useUrlState('pattern', text, '')
  const list = useQuery(deadlocksQuery(incidentId, range, pattern))
  return (
    <Loaded query={list} what="The deadlocks could not be read">
      {(data) => <Deadlocks {...data} />}
    </Loaded>
  )
}

function Deadlocks({ items, total, patterns }: DeadlockList) {
  const [range] = useRange()
  const [pick, setPick] = useUrlState('pick', text, '')
  const [pattern] = useUrlState('pattern', text, '')
  const change = useUrlChange()
  const known = items.some((item) => item.host !== null)
  if (items.length === 0 && !pattern && !range.from && !range.to)
    return (
      <NotCollected
        title="No deadlocks captured"
        command="mysql -e 'SHOW ENGINE INNODB STATUS\G' > innodb-status.txt"
      >
        Each dump prints the latest deadlock since the server started. No dump of this incident has
        one; innodb_print_all_deadlocks = ON writes every one of them into the error log.
      </NotCollected>
    )
  const chosen = items.find((item) => item.id === pick) ?? items[0]
  return (
    <div className="tables-tab">
      <RecordTable<DeadlockOut>
        tools={
          <span>
            {total} {total === 1 ? 'deadlock' : 'deadlocks'}
            {items.length < total && (
              <span className="faint">, the latest {items.length} listed</span>
            )}
            {pattern && (
              <>
                {' '}
                of the chosen pattern{' '}
                <Button
                  size="small"
                  variant="ghost"
                  onClick={() => change({ pattern: [], pick: [] })}
                >
                  All deadlocks
                </Button>
              </>
            )}
          </span>
        }
        note={
          (patterns.length > 1 || pattern) && (
            <DeadlockPatterns
              patterns={patterns}
              chosen={pattern}
              onChoose={(id) => change({ pattern: [id], pick: [] })}
            />
          )
        }
        ranged
        file="deadlocks"
        empty="deadlock"
        listOnly
        label="Deadlocks"
        rows={items}
        columns={known ? COLUMNS : COLUMNS.filter((column) => column.key !== 'host')}
        rowKey={(item) => item.id}
        selected={chosen?.id ?? null}
        onSelect={(item) => setPick(item.id)}
        more={chosen && <OneDeadlock deadlock={chosen} />}
      />
    </div>
  )
}

const COLUMNS: Column<DeadlockOut>[] = [
  {
    key: 'time',
    head: 'When',
    width: '176px',
    cell: (item) => <Time at={item.time} />,
    sort: (item) => item.time,
  },
  {
    key: 'host',
    optional: true,
    head: 'Host',
    width: 'minmax(90px, 1fr)',
    cell: (item) => item.host,
    sort: (item) => item.host,
  },
  {
    key: 'n',
    optional: true,
    head: 'Transactions',
    kind: 'number',
    width: '104px',
    cell: (item) => item.transactions.length,
    sort: (item) => item.transactions.length,
  },
  {
    key: 'kind',
    head: 'Kind',
    width: 'minmax(200px, 2fr)',
    cell: (item) => <span title={item.kind_label}>{item.kind_label}</span>,
    sort: (item) => item.kind_label,
  },
  {
    key: 'what',
    head: 'Statements',
    width: 'minmax(220px, 4fr)',
    cell: (item) => (
      <span className="mono" title={shapesOf(item)}>
        {shapesOf(item)}
      </span>
    ),
    sort: shapesOf,
  },
  {
    key: 'dumps',
    optional: true,
    head: 'Seen in',
    kind: 'number',
    width: '92px',
    cell: (item) => (
      <>
        {item.dumps} {item.dumps === 1 ? 'dump' : 'dumps'}
      </>
    ),
    sort: (item) => item.dumps,
  },
  {
    key: 'relation',
    optional: true,
    head: 'Relation to the stall',
    width: 'minmax(160px, 3fr)',
    cell: (item) => (
      <span className="muted" title={item.relation ?? undefined}>
        {item.relation}
      </span>
    ),
    sort: (item) => item.relation,
  },
  {
    key: 'pin',
    head: 'Pin',
    width: '84px',
    cell: (item) => {
      const place = item.seen[0]
      return place ? (
        <PinRow place={place} title={cycleText(item)[0] ?? 'deadlock'} chosen={{ pick: item.id }}>
          Pin
        </PinRow>
      ) : null
    },
  },
]

function OneDeadlock({ deadlock }: { readonly deadlock: DeadlockOut }) {
  const words = cycleText(deadlock)
  const picture = useRef<HTMLDivElement>(null)
  const place = deadlock.seen[0]
  return (
    <section className="deadlock scroll" aria-label="Selected deadlock" tabIndex={0}>
      <header className="deadlock-head">
        <h2>
          {deadlock.kind_label}: {formatCount(deadlock.transactions.length, 'transaction')}
          {deadlock.time && (
            <>
              {' '}
              at <Time at={deadlock.time} zone />
            </>
          )}
        </h2>
        {deadlock.truncated && <Chip tone="waiting">cut off in the dump</Chip>}
        <span className="tables-space" />
        <CopyButton text={words.join('\n')}>Copy description</CopyButton>
        <ExportMenu
          name={['deadlock', deadlock.time ?? deadlock.id]}
          svg={() => {
            const drawn = picture.current?.querySelector('svg')
            if (!drawn) throw new Error('no drawing to export')
            return svgOfElement(drawn, { title: 'Deadlock', description: words.join(' ') })
          }}
        />
        {place && (
          <PinRow place={place} title={words[0] ?? 'deadlock'} chosen={{ pick: deadlock.id }} />
        )}
      </header>
      <p className="deadlock-why" data-testid="deadlock-why">
        {deadlock.why}
        {deadlock.confidence > 0 && (
          <span className="muted"> Confidence {Math.round(deadlock.confidence * 100)}%.</span>
        )}
      </p>
      <h3>What to change</h3>
      <ol className="deadlock-changes">
        {deadlock.change.map((change) => (
          <li key={change}>{change}</li>
        ))}
      </ol>
      <p className="muted deadlock-settle">To confirm: {deadlock.settle}</p>
      <div ref={picture} className="deadlock-picture scroll">
        <LanesPicture deadlock={deadlock} label={words.join(' ')} />
      </div>
      <ul className="deadlock-words" data-testid="deadlock-words">
        {words.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <div className="deadlock-trx">
        {deadlock.transactions.map((transaction) => (
          <section key={transaction.number} aria-label={`Transaction ${transaction.number}`}>
            <h3>
              ({transaction.number}) transaction {transaction.trx_id}
              {transaction.victim && <Chip tone="holding">victim</Chip>}
            </h3>
            <p className="muted">
              {transaction.session_id !== null && <>session {transaction.session_id}, </>}
              active for <Duration value={transaction.active_s} />
            </p>
            <pre className="tables-query mono">{transaction.query ?? 'no statement printed'}</pre>
            <dl className="deadlock-locks">
              <div>
                <dt>waits for</dt>
                <dd className="mono">{transaction.waits_for ?? 'not printed'}</dd>
              </div>
              <div>
                <dt>holds</dt>
                <dd className="mono">{transaction.holds.join('\n') || 'not printed'}</dd>
              </div>
            </dl>
          </section>
        ))}
      </div>
      <p className="deadlock-seen">
        Seen in {deadlock.dumps} {deadlock.dumps === 1 ? 'dump' : 'dumps'}:{' '}
        {deadlock.seen.map((item) => (
          <span key={`${item.artifact}${item.line_first}`}>
            <Lines place={item} whole />
            {item.dumps > 1 && <span className="muted"> and {item.dumps - 1} later</span>}{' '}
          </span>
        ))}
      </p>
    </section>
  )
}

function shapesOf(item: DeadlockOut): string {
  return item.transactions.map((trx) => trx.shape ?? 'no statement').join('  ⟷  ')
}
