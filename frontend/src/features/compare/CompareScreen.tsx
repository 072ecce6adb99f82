/** Two windows, bundles, hosts or runs beside each other: only what differs, the clearest first. */
import { useQuery } from '@tanstack/react-query'
import { formatNumber } from '@/format'
import { useIncidentId, useZone } from '@/state/incident'
import { flag, oneOf, useUrlChange, useUrlState } from '@/state/url'
import { Button } from '@/ui/Button'
import { Chip } from '@/ui/Chip'
import { Banner, EmptyState, Problem, SkeletonRows } from '@/ui/States'
import { type Column, Table } from '@/ui/Table'
import { Measured } from '@/ui/Value'
import { Fleet } from './Fleet'
import { choicesQuery, type CompareDoc, compareQuery } from './queries'
import { SideChooser } from './SideChooser'
import { isReady, side, sideCodec } from './sides'
import './compare.css'

const TABS = ['series', 'waits', 'stacks', 'settings', 'tables', 'fleet'] as const
const TAB = oneOf(TABS)
const NAMES: Record<(typeof TABS)[number], string> = {
  series: 'Series',
  waits: 'Waits',
  stacks: 'Stacks',
  settings: 'Settings',
  tables: 'Tables',
  fleet: 'Hosts',
}

export default function CompareScreen() {
  const id = useIncidentId()
  const choices = useQuery(choicesQuery(id))
  const [askedA, setA] = useUrlState('a', sideCodec, side('baseline'))
  const [askedB, setB] = useUrlState('b', sideCodec, side('stall'))
  const [tab, setTab] = useUrlState('tab', TAB, 'series')
  const [all, setAll] = useUrlState('all', flag, false)
  const change = useUrlChange()
  if (choices.isError) {
    return <Problem error={choices.error} what="What can be compared could not be read" />
  }
  if (!choices.data) return <SkeletonRows rows={10} />
  const { has_baseline: quiet, has_stall: stalled } = choices.data
  // What the address does not say: the baseline against the stall, where there are any.
  const a = !quiet && askedA.part === 'baseline' && !askedA.experiment ? side('whole') : askedA
  const b = !stalled && askedB.part === 'stall' && !askedB.experiment ? side('whole') : askedB
  return (
    <div className="compare">
      <header className="compare-head">
        <h2>Compare</h2>
        <div className="compare-sides">
          <SideChooser name="A" side={a} choices={choices.data} onChange={(next) => setA(next)} />
          <Button
            size="small"
            variant="ghost"
            aria-label="Swap the sides"
            onClick={() => change({ a: sideCodec.write(b), b: sideCodec.write(a) }, { push: true })}
          >
            ⇄
          </Button>
          <SideChooser name="B" side={b} choices={choices.data} onChange={(next) => setB(next)} />
        </div>
      </header>
      <div className="compare-tabs">
        <div className="segments" role="group" aria-label="What to compare">
          {TABS.map((one) => (
            <Button key={one} size="small" pressed={tab === one} onClick={() => setTab(one)}>
              {NAMES[one]}
            </Button>
          ))}
        </div>
        {(tab === 'series' || tab === 'waits' || tab === 'stacks') && (
          <Button size="small" pressed={!all} onClick={() => setAll(!all)}>
            Only what differs
          </Button>
        )}
      </div>
      {tab === 'fleet' ? (
        <Fleet incidentId={id} />
      ) : isReady(a) && isReady(b) ? (
        <Compared incidentId={id} a={a} b={b} tab={tab} all={all} />
      ) : (
        <EmptyState compact title="A window needs a range">
          Brush one on the timeline, then take it here with “Take the shared range”.
        </EmptyState>
      )}
    </div>
  )
}

function Compared({
  incidentId,
  a,
  b,
  tab,
  all,
}: {
  readonly incidentId: string
  readonly a: ReturnType<typeof side>
  readonly b: ReturnType<typeof side>
  readonly tab: Exclude<(typeof TABS)[number], 'fleet'>
  readonly all: boolean
}) {
  const compared = useQuery(compareQuery(incidentId, a, b))
  if (compared.isError) {
    return <Problem compact error={compared.error} what="These two could not be compared" />
  }
  if (!compared.data) return <SkeletonRows rows={12} />
  const doc = compared.data
  return (
    <>
      {doc.warnings.map((warning) => (
        <Banner key={warning} tone="waiting">
          {warning}
        </Banner>
      ))}
      <p className="compare-said muted">
        <Said name="A" side={doc.a} /> · <Said name="B" side={doc.b} />
      </p>
      {doc.trial && <p className="compare-trial">{doc.trial.text}</p>}
      <div className="compare-table">
        <Rows doc={doc} tab={tab} all={all} />
      </div>
    </>
  )
}

function Said({ name, side: one }: { readonly name: string; readonly side: CompareDoc['a'] }) {
  const zone = useZone()
  return (
    <span>
      <strong>{name}</strong> {one.label}
      {one.start && one.end && `, ${zone.format(one.start)} – ${zone.format(one.end)}`}
      {one.hosts.length > 0 && `, ${one.hosts.join(', ')}`}
      {one.dumps > 0 && `, ${formatNumber(one.dumps)} dumps`}
      {one.samples > 0 && `, ${formatNumber(one.samples)} stack samples`}
    </span>
  )
}

type Series = CompareDoc['series'][number]
type Wait = CompareDoc['waits'][number]
type Stack = CompareDoc['stacks'][number]
type Setting = CompareDoc['settings'][number]
type TableRow = CompareDoc['tables'][number]['rows'][number] & {
  readonly table: string
  readonly at: number
}

function Rows({
  doc,
  tab,
  all,
}: {
  readonly doc: CompareDoc
  readonly tab: Exclude<(typeof TABS)[number], 'fleet'>
  readonly all: boolean
}) {
  if (tab === 'series') {
    const rows = all ? doc.series : doc.series.filter((row) => row.clear)
    if (rows.length === 0) return <Nothing of={doc.series.length} what="series" />
    return (
      <Table
        fill
        copy
        label="Series"
        rows={rows}
        columns={SERIES}
        rowKey={(r) => r.series + r.labels}
      />
    )
  }
  if (tab === 'waits') {
    const rows = all ? doc.waits : doc.waits.filter((row) => row.a !== row.b)
    if (rows.length === 0) return <Nothing of={doc.waits.length} what="places where threads wait" />
    return (
      <Table
        fill
        copy
        label="Waits per dump"
        rows={rows}
        columns={WAITS}
        rowKey={(r) => `${r.file}:${r.line}:${r.mode}`}
      />
    )
  }
  if (tab === 'stacks') {
    const rows = doc.stacks.filter((row) => !row.set_aside && (all || row.a !== row.b))
    if (rows.length === 0) return <Nothing of={doc.stacks.length} what="stacks" />
    return (
      <Table
        fill
        copy
        label="Threads per sample"
        rows={rows}
        columns={STACKS}
        rowKey={(r) => r.stack.join('\n')}
      />
    )
  }
  if (tab === 'tables') {
    const rows = doc.tables.flatMap((one, at) =>
      one.rows.map((row) => ({
        ...row,
        at,
        table: one.host ? `${one.name} on ${one.host}` : one.name,
      })),
    )
    if (rows.length === 0) {
      return (
        <EmptyState compact title="No table differs">
          Of those of the same name and columns on both sides, whose rows can be told apart.
        </EmptyState>
      )
    }
    return (
      <Table
        fill
        copy
        label="Tables"
        rows={rows}
        columns={TABLES}
        rowKey={(r) => [r.at, r.state, r.column, ...r.key].join('\n')}
      />
    )
  }
  if (doc.settings.length === 0) {
    return (
      <EmptyState compact title="No setting differs">
        Of those that both sides print. Upload SHOW VARIABLES of both to be sure.
      </EmptyState>
    )
  }
  return (
    <Table
      fill
      copy
      label="Settings"
      rows={doc.settings}
      columns={SETTINGS}
      rowKey={(r) => r.name}
    />
  )
}

function Nothing({ of, what }: { readonly of: number; readonly what: string }) {
  return (
    <EmptyState compact title={of === 0 ? `No ${what} on either side` : 'Nothing differs clearly'}>
      {of > 0 && `${formatNumber(of)} ${what} were compared.`}
    </EmptyState>
  )
}

const times = (a: number | null, b: number | null) =>
  a === null || b === null || a === 0 ? null : b / a

const SERIES: readonly Column<Series>[] = [
  {
    key: 'series',
    head: 'Series',
    width: 'minmax(240px, 3fr)',
    cell: (row) => (
      <span className="mono ellipsis" title={row.series + (row.labels && `{${row.labels}}`)}>
        {row.series}
        {row.labels && <span className="faint">{`{${row.labels}}`}</span>}
      </span>
    ),
    sort: (row) => row.series + row.labels,
  },
  number(
    'a',
    'A',
    (row) => row.a,
    (row) => row.unit,
  ),
  number(
    'b',
    'B',
    (row) => row.b,
    (row) => row.unit,
  ),
  {
    key: 'ratio',
    head: 'B / A',
    kind: 'number',
    width: '90px',
    cell: (row) => (row.ratio === null ? '–' : `× ${formatNumber(row.ratio, 2)}`),
    sort: (row) => row.ratio,
  },
  number(
    'p95a',
    'A p95',
    (row) => row.a_p95,
    (row) => row.unit,
  ),
  number(
    'p95b',
    'B p95',
    (row) => row.b_p95,
    (row) => row.unit,
  ),
  {
    key: 'points',
    head: 'Samples',
    kind: 'number',
    width: '100px',
    cell: (row) => `${formatNumber(row.a_points)} / ${formatNumber(row.b_points)}`,
    sort: (row) => row.a_points,
  },
]

const WAITS: readonly Column<Wait>[] = [
  {
    key: 'place',
    head: 'Waits at',
    width: 'minmax(240px, 3fr)',
    cell: (row) => <span className="mono">{`${row.file}:${row.line}`}</span>,
    sort: (row) => `${row.file}:${row.line}`,
  },
  { key: 'mode', head: 'Mode', width: '100px', cell: (row) => row.mode, sort: (row) => row.mode },
  number('a', 'A per dump', (row) => row.a),
  number('b', 'B per dump', (row) => row.b),
  number('ratio', 'B / A', (row) => times(row.a, row.b)),
]

const STACKS: readonly Column<Stack>[] = [
  {
    key: 'stack',
    head: 'Threads in',
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
  number('a', 'A per sample', (row) => row.a),
  number('b', 'B per sample', (row) => row.b),
]

const SETTINGS: readonly Column<Setting>[] = [
  {
    key: 'name',
    head: 'Setting',
    width: 'minmax(240px, 2fr)',
    cell: (row) => <span className="mono">{row.name}</span>,
    sort: (row) => row.name,
  },
  {
    key: 'a',
    head: 'A',
    width: 'minmax(120px, 1fr)',
    cell: (row) => <span className="mono ellipsis">{row.a}</span>,
    sort: (row) => row.a,
  },
  {
    key: 'b',
    head: 'B',
    width: 'minmax(120px, 1fr)',
    cell: (row) => <span className="mono ellipsis">{row.b}</span>,
    sort: (row) => row.b,
  },
]

const TABLES: readonly Column<TableRow>[] = [
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
    head: 'A',
    width: 'minmax(110px, 1fr)',
    cell: (row) => <span className="mono ellipsis">{row.a}</span>,
    sort: (row) => row.a,
  },
  {
    key: 'b',
    head: 'B',
    width: 'minmax(110px, 1fr)',
    cell: (row) => <span className="mono ellipsis">{row.b}</span>,
    sort: (row) => row.b,
  },
  number('ratio', 'B / A', (row) => row.ratio),
]

function number<Row>(
  key: string,
  head: string,
  value: (row: Row) => number | null,
  unit: (row: Row) => string | null = () => null,
): Column<Row> {
  return {
    key,
    head,
    kind: 'number',
    width: 'minmax(110px, 1fr)',
    cell: (row) => <Measured value={value(row)} unit={unit(row)} />,
    sort: value,
  }
}
