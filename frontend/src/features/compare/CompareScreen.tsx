/** The comparison of windows, captures, hosts or runs: differences only, most important first. */
import { choicesQuery, type CompareChoices, useIsAnalysed } from '@/api/queries'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiProblem } from '@/api/problem'
import type { Interval } from '@/charts/range'
import { formatCount, formatNumber } from '@/format'
import { useLocation } from 'react-router'
import { useIncidentId, useZone } from '@/state/incident'
import { flag, oneOf, text, useUrlState } from '@/state/url'
import { useViewKeys } from '@/state/viewKeys'
import { Button } from '@/ui/controls/Button'
import { SeeArtifacts } from '@/ui/evidence/SeeArtifacts'
import { MissingAnswers } from '@/ui/evidence/Unanswered'
import { Banner, EmptyState, Problem, SkeletonRows } from '@/ui/display/States'
import { DownloadDialog } from '@/ui/panels/DownloadDialog'
import { Table } from '@/ui/table/Table'
import { Fleet } from './Fleet'
import { betweenCaptures } from './overlay'
import { OverlayChart } from './OverlayChart'
import { type Comparison, compareQuery, exportPath, type SidesDoc } from './queries'
import { SideChooser } from './SideChooser'
import { TimeClasses } from './TimeClasses'
import {
  ALIGN,
  type Align,
  isReady,
  MOST,
  NAMES,
  presets,
  referenceCodec,
  type Side,
  side,
  sidesCodec,
  writeSide,
} from '@/state/sides'
import {
  fullName,
  seriesColumns,
  settingColumns,
  stackColumns,
  tableColumns,
  waitColumns,
} from './tables'
import './compare.css'

const TABS = ['series', 'classes', 'waits', 'stacks', 'settings', 'tables', 'fleet'] as const
type Tab = (typeof TABS)[number]
const TAB = oneOf(TABS)
const ALIGNED = oneOf(ALIGN)
const ALIGN_WORDS: Record<Align, string> = { onset: 'onset', start: 'start', clock: 'clock' }
const NAMED: Record<Tab, string> = {
  series: 'Series',
  classes: 'Active sessions',
  waits: 'Waits',
  stacks: 'Stacks',
  settings: 'Server settings',
  tables: 'Tables',
  fleet: 'Hosts',
}
const FIRST = [side('baseline'), side('stall')]

export default function CompareScreen() {
  const id = useIncidentId()
  const choices = useQuery(choicesQuery(id))
  const { search } = useLocation()
  const [given, setSides] = useUrlState('side', sidesCodec, FIRST)
  const [align, setAlign] = useUrlState<Align>('align', ALIGNED, 'onset')
  const [around, setAround] = useUrlState('around', text, '')
  const [against, setAgainst] = useUrlState('against', referenceCodec, 0)
  const [tab, setTab] = useUrlState('tab', TAB, 'series')
  const show = (next: Tab) => setTab(next, { push: true })
  useViewKeys(TABS, NAMED, show)
  const [all, setAll] = useUrlState('all', flag, false)
  if (choices.isLoadingError) {
    return <Problem error={choices.error} what="The choices could not be read" />
  }
  if (!choices.data) return <SkeletonRows rows={10} />
  const { has_baseline: quiet, has_stall: stalled } = choices.data
  // Default of the address: the first usual comparison, else the baseline against the stall.
  const isGiven = new URLSearchParams(search).has('side')
  const usual = isGiven ? given : (presets(choices.data)[0]?.sides ?? given)
  const sides = usual.map((item) =>
    item.experiments.length === 0 &&
    ((!quiet && item.part === 'baseline') || (!stalled && item.part === 'stall'))
      ? side('whole')
      : item,
  )
  const put = (at: number, next: (typeof sides)[number]) =>
    setSides(sides.map((side, i) => (i === at ? next : side)))
  const reference = against < sides.length ? against : 0
  const comparison: Comparison = { sides, align, window: readAround(around), reference }
  return (
    <div className="compare">
      <header className="compare-head">
        <h2>Compare</h2>
        <div className="compare-sides">
          {sides.map((side, at) => (
            <SideChooser
              key={NAMES[at]}
              name={NAMES[at] ?? ''}
              side={side}
              choices={choices.data}
              onChange={(next) => put(at, next)}
              {...(sides.length > 2
                ? {
                    onRemove: () => {
                      setSides(sides.filter((_, i) => i !== at))
                      setAgainst(at === reference ? 0 : reference - (at < reference ? 1 : 0))
                    },
                  }
                : {})}
            />
          ))}
          <div className="compare-more">
            <Button
              size="small"
              variant="ghost"
              aria-label="Swap the first two sides"
              onClick={() => setSides([sides[1], sides[0], ...sides.slice(2)].filter(isSide))}
            >
              ⇄
            </Button>
            {sides.length < MOST && (
              <Button size="small" onClick={() => setSides([...sides, side('whole')])}>
                Add a side
              </Button>
            )}
          </div>
        </div>
      </header>
      <MissingAnswers
        incidentId={id}
        parts={['stalls', 'captures', 'series', 'waits', 'settings', 'tables', 'table_changes']}
      />
      <Presets choices={choices.data} sides={sides} onChoose={setSides} />
      <div className="compare-tabs">
        <div className="segments" role="group" aria-label="What to compare">
          {TABS.map((name) => (
            <Button key={name} size="small" pressed={tab === name} onClick={() => show(name)}>
              {NAMED[name]}
            </Button>
          ))}
        </div>
        {(tab === 'series' || tab === 'waits' || tab === 'stacks') && (
          <Button size="small" pressed={!all} onClick={() => setAll(!all)}>
            Only what differs
          </Button>
        )}
        {tab !== 'fleet' && (
          <>
            <span className="segments" role="group" aria-label="Align the sides at">
              <span className="muted compare-against">Align at</span>
              {ALIGN.map((name) => (
                <Button
                  key={name}
                  size="small"
                  pressed={align === name}
                  onClick={() => setAlign(name)}
                >
                  {ALIGN_WORDS[name]}
                </Button>
              ))}
            </span>
            {align !== 'clock' && (
              <Around key={around} align={align} value={around} onChange={setAround} />
            )}
            <span className="segments" role="group" aria-label="Reference side">
              <span className="muted compare-against">Reference</span>
              {sides.map((_, at) => (
                <Button
                  key={NAMES[at]}
                  size="small"
                  pressed={reference === at}
                  onClick={() => setAgainst(at)}
                >
                  {NAMES[at]}
                </Button>
              ))}
            </span>
            <Downloads {...{ id, comparison, all }} />
          </>
        )}
      </div>
      {tab === 'fleet' ? (
        <Fleet incidentId={id} />
      ) : sides.every(isReady) ? (
        <Compared
          {...{ comparison, tab, all }}
          incidentId={id}
          gaps={betweenCaptures(choices.data.captures)}
        />
      ) : (
        <EmptyState compact title="A window needs a range">
          Brush one on the timeline, then take it here with “Use the shared range”.
        </EmptyState>
      )}
    </div>
  )
}

/** The usual comparisons, one click each; nothing where there is only one. */
function Presets({
  choices,
  sides,
  onChoose,
}: {
  readonly choices: CompareChoices
  readonly sides: readonly Side[]
  readonly onChoose: (sides: readonly Side[], options: { push: boolean }) => void
}) {
  const offered = presets(choices)
  if (offered.length < 2) return null
  const now = sides.map(writeSide).join(' ')
  return (
    <div className="compare-presets" role="group" aria-label="Usual comparisons">
      {offered.map(({ name, sides }) => (
        <Button
          key={name}
          size="small"
          pressed={sides.map(writeSide).join(' ') === now}
          onClick={() => onChoose(sides, { push: true })}
        >
          {name}
        </Button>
      ))}
    </div>
  )
}

/** The whole comparison as a file, as it is or redacted. */
function Downloads({
  id,
  comparison,
  all,
}: {
  readonly id: string
  readonly comparison: Comparison
  readonly all: boolean
}) {
  const [redacting, setRedacting] = useState(false)
  return (
    <span className="compare-export">
      {(['csv', 'md'] as const).map((form) => (
        <a key={form} href={exportPath(id, comparison, form, all)} download>
          {form === 'csv' ? 'CSV' : 'Markdown'}
        </a>
      ))}
      <Button size="small" variant="ghost" onClick={() => setRedacting(true)}>
        Redacted CSV…
      </Button>
      {redacting && (
        <DownloadDialog
          title="Download the comparison redacted"
          url={exportPath(id, comparison, 'csv', all)}
          name="comparison-redacted.csv"
          plain="Only passwords are removed: the file contains queries, host names and users."
          onClose={() => setRedacting(false)}
        />
      )}
    </span>
  )
}

const isSide = <T,>(item: T | undefined): item is T => item !== undefined

/** Parse '-60..120' as two seconds values; null for anything else. */
function readAround(name: string): readonly [number, number] | null {
  const [, from, to] = /^(-?\d+(?:\.\d+)?)\.\.(-?\d+(?:\.\d+)?)$/.exec(name) ?? []
  if (from === undefined || to === undefined || Number(from) >= Number(to)) return null
  return [Number(from), Number(to)]
}

function Around({
  align,
  value,
  onChange,
}: {
  readonly align: Align
  readonly value: string
  readonly onChange: (value: string) => void
}) {
  const [from, setFrom] = useState(value.split('..')[0] ?? '')
  const [to, setTo] = useState(value.split('..')[1] ?? '')
  const name = from.trim() === '' && to.trim() === '' ? '' : `${from.trim()}..${to.trim()}`
  const wrong = name !== '' && readAround(name) === null
  const take = () => {
    if (!wrong) onChange(name)
  }
  const box = (label: string, shown: string, set: (next: string) => void) => (
    <input
      className="input"
      aria-label={label}
      aria-invalid={wrong || undefined}
      inputMode="decimal"
      value={shown}
      onChange={(event) => set(event.target.value)}
      onBlur={take}
      onKeyDown={(event) => {
        if (event.key === 'Enter') take()
      }}
    />
  )
  return (
    <span className="compare-around muted">
      From {box(`From seconds after the ${align}`, from, setFrom)} to{' '}
      {box(`To seconds after the ${align}`, to, setTo)} s after the {align}
    </span>
  )
}

function Compared({
  incidentId,
  comparison,
  tab,
  all,
  gaps,
}: {
  readonly incidentId: string
  readonly comparison: Comparison
  readonly gaps: readonly Interval[]
  readonly tab: Exclude<Tab, 'fleet'>
  readonly all: boolean
}) {
  // The runs of experiments have analyses of their own.
  const ofIncident = comparison.sides.some((item) => item.experiments.length === 0)
  const known = useIsAnalysed(incidentId)
  const isAnalysed = ofIncident ? known : true
  const compared = useQuery({
    ...compareQuery(incidentId, comparison),
    enabled: isAnalysed === true,
  })
  const [drawn, setDrawn] = useUrlState('series', text, '')
  const isRefused = compared.error instanceof ApiProblem && compared.error.status === 409
  if (isRefused || isAnalysed === false) {
    return (
      <EmptyState title="Nothing to compare yet" action={<SeeArtifacts />}>
        Windows of this incident, its captures and the runs of its experiments appear here side by
        side once files are parsed and analysed.
      </EmptyState>
    )
  }
  if (compared.isLoadingError) {
    return <Problem compact error={compared.error} what="The sides could not be compared" />
  }
  if (!compared.data) return <SkeletonRows rows={12} />
  const doc = compared.data
  const first = doc.series[0]
  const series = drawn || (first ? fullName(first) : '')
  return (
    <>
      <p className="compare-side-names muted">
        {doc.sides.map((side, at) => (
          <span key={NAMES[at]}>
            {at > 0 && ' · '}
            <SideSummary name={NAMES[at] ?? ''} side={side} />
          </span>
        ))}
      </p>
      {doc.trials.map((trial) => (
        <p key={trial.side} className="compare-trial">
          {trial.trial.text}
        </p>
      ))}
      {tab === 'series' && series && (
        <OverlayChart
          {...{ incidentId, comparison, series, gaps }}
          title={titleOf(doc.series.find((row) => fullName(row) === series)) ?? series}
        />
      )}
      {tab === 'series' && series && (
        <p className="compare-statistic muted">
          {doc.sides.length} sides, the most important difference first. Each number is the median
          of the samples, as on the overview, with their quartiles; counters are rates per second.
        </p>
      )}
      <div className="compare-table">
        <Rows doc={doc} tab={tab} all={all} onDraw={setDrawn} />
      </div>
      <Limits warnings={doc.warnings} />
    </>
  )
}

/** What the comparison cannot say: one limit in full, several folded, as the table comes first. */
function Limits({ warnings }: { readonly warnings: readonly string[] }) {
  if (warnings.length === 0) return null
  if (warnings.length === 1) return <Banner>{warnings[0]}</Banner>
  return (
    <Banner>
      <details className="compare-limits">
        <summary>{formatCount(warnings.length, 'limit')} of this comparison</summary>
        <ul>
          {warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      </details>
    </Banner>
  )
}

const titleOf = (row: SidesDoc['series'][number] | undefined) =>
  row && [row.title, row.detail].filter(Boolean).join(', ')

function SideSummary({
  name,
  side: item,
}: {
  readonly name: string
  readonly side: SidesDoc['sides'][number]
}) {
  const zone = useZone()
  return (
    <span>
      <strong>{name}</strong> {item.label}
      {item.start && item.end && `, ${zone.format(item.start)} – ${zone.format(item.end)}`}
      {item.hosts.length > 0 && `, ${item.hosts.join(', ')}`}
      {item.dumps > 0 && `, ${formatCount(item.dumps, 'dump')}`}
      {item.samples > 0 && `, ${formatCount(item.samples, 'stack sample')}`}
    </span>
  )
}

const differ = (counts: readonly (number | null)[]) => new Set(counts).size > 1

function Rows({
  doc,
  tab,
  all,
  onDraw,
}: {
  readonly doc: SidesDoc
  readonly tab: Exclude<Tab, 'fleet'>
  readonly all: boolean
  readonly onDraw: (series: string) => void
}) {
  const sides = doc.sides.length
  if (tab === 'series') {
    const rows = all ? doc.series : doc.series.filter((row) => row.clear)
    if (rows.length === 0) return <Nothing of={doc.series.length} what="series" />
    return (
      <Table
        fill
        copy
        label="Series"
        rows={rows}
        columns={seriesColumns(sides, doc.reference, doc.series, onDraw)}
        rowKey={fullName}
      />
    )
  }
  if (tab === 'classes') return <TimeClasses doc={doc} />
  if (tab === 'waits') {
    const rows = all ? doc.waits : doc.waits.filter((row) => differ(row.counts))
    if (rows.length === 0) return <Nothing of={doc.waits.length} what="places where threads wait" />
    return (
      <Table
        fill
        copy
        label="Waits per dump"
        rows={rows}
        columns={waitColumns(sides)}
        rowKey={(r) => `${r.file}:${r.line}:${r.mode}`}
      />
    )
  }
  if (tab === 'stacks') {
    const rows = doc.stacks.filter((row) => !row.set_aside && (all || differ(row.counts)))
    if (rows.length === 0) return <Nothing of={doc.stacks.length} what="stacks" />
    return (
      <Table
        fill
        copy
        label="Threads per sample"
        rows={rows}
        columns={stackColumns(sides)}
        rowKey={(r) => r.stack.join('\n')}
      />
    )
  }
  if (tab === 'tables') {
    const rows = doc.tables.flatMap(({ side: at, table: item }, place) =>
      item.rows.map((row) => ({
        ...row,
        at: place,
        side: at,
        table: item.host ? `${item.name} on ${item.host}` : item.name,
      })),
    )
    if (rows.length === 0) {
      return (
        <EmptyState compact title="No table differs">
          Compared: tables with the same name and columns on both sides and a unique row key.
        </EmptyState>
      )
    }
    return (
      <Table
        fill
        copy
        label="Tables"
        rows={rows}
        columns={tableColumns(sides, doc.reference)}
        rowKey={(r) => [r.at, r.state, r.column, ...r.key].join('\n')}
      />
    )
  }
  if (doc.settings.length === 0) {
    return (
      <EmptyState compact title="No setting differs">
        Compared: settings that at least two sides print. Upload SHOW VARIABLES of each side to
        compare all.
      </EmptyState>
    )
  }
  return (
    <Table
      fill
      copy
      label="Server settings"
      rows={doc.settings}
      columns={settingColumns(sides)}
      rowKey={(r) => r.name}
    />
  )
}

function Nothing({ of, what }: { readonly of: number; readonly what: string }) {
  return (
    <EmptyState compact title={of === 0 ? `No ${what} on any side` : 'Nothing differs clearly'}>
      {of > 0 && `${formatNumber(of)} ${what} were compared.`}
    </EmptyState>
  )
}
