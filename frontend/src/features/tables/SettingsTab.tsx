/** The variables of one source, or of two side by side: hosts, moments, a file and its server. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { SettingRow, SettingSide, SettingSource } from '@/api/schema'
import { formatNumber } from '@/format'
import { useIncidentId } from '@/state/incident'
import { oneOf, text, useResolvedDefaults, useUrlChange, useUrlState } from '@/state/url'
import { Button } from '@/ui/controls/Button'
import { Chip } from '@/ui/controls/Chip'
import { cx } from '@/ui/controls/cx'
import { Loaded } from '@/ui/display/Loaded'
import { Banner, EmptyState, Problem, SkeletonRows } from '@/ui/display/States'
import type { Column } from '@/ui/table/Table'
import { Filter, NotCollected } from './parts'
import { RecordTable } from './RecordTable'
import { settingSourcesQuery, settingsQuery } from './queries'
import { Lines, PinRow } from './Source'
import { firstPair, shownSettings, type Show, sourceOf, sourceWords, STATE_WORDS } from './settings'

const SHOW = oneOf<Show>(['differing', 'mentioned', 'all'])

export function SettingsTab() {
  const incidentId = useIncidentId()
  const sources = useQuery(settingSourcesQuery(incidentId))
  const [givenA] = useUrlState('a', text, '')
  const [givenB] = useUrlState('b', text, '')
  const [words, setWords] = useUrlState('q', text, '')
  const [show, setShow] = useUrlState<Show>('view', SHOW, 'differing')
  const change = useUrlChange()
  const pair = useMemo(() => firstPair(sources.data ?? []), [sources.data])
  const a = sourceOf(sources.data ?? [], givenA) ?? pair[0]
  const b =
    givenB === 'none'
      ? ''
      : (sourceOf(sources.data ?? [], givenB) ?? (pair[1] === a ? '' : pair[1]))
  // The next upload may change the default pair: links and pins name both sources.
  useResolvedDefaults({ a: a || null, b: sources.data ? b || 'none' : null })
  const missing = [givenA, givenB].some(
    (given) => given && given !== 'none' && sourceOf(sources.data ?? [], given) === null,
  )
  const table = useQuery(settingsQuery(incidentId, a, b))
  const compared = table.data?.b !== null && table.data !== undefined
  const shown = show === 'differing' && !compared ? 'all' : show
  const rows = useMemo(
    () => shownSettings(table.data?.rows ?? [], show, words, compared),
    [table.data, show, words, compared],
  )
  const columns = useMemo(() => columnsOf(compared), [compared])
  if (sources.isLoadingError)
    return (
      <Problem
        error={sources.error}
        what="The settings could not be read"
        onRetry={() => void sources.refetch()}
      />
    )
  if (!sources.data) return <SkeletonRows rows={12} />
  if (sources.data.length === 0)
    return (
      <NotCollected
        title="No settings yet"
        command="mysql -e 'SHOW GLOBAL VARIABLES' > variables.txt"
      >
        Variables of servers and option files appear here, side by side. None was uploaded, or the
        analysis has not run yet.
      </NotCollected>
    )
  return (
    <div className="tables-tab">
      <RecordTable
        tools={
          <>
            <SourceChoice
              label="Left"
              sources={sources.data}
              value={a}
              onChange={(id) => change({ a: [id], b: [b || 'none'] })}
            />
            <Button
              size="small"
              variant="ghost"
              disabled={!b}
              aria-label="Swap left and right"
              onClick={() => change({ a: [b], b: [a] })}
            >
              ⇄
            </Button>
            <SourceChoice
              label="Right"
              sources={sources.data}
              value={b}
              none="none: show the left only"
              onChange={(id) => change({ a: [a], b: [id || 'none'] })}
            />
            <div className="segments" role="group" aria-label="Rows">
              <Button
                size="small"
                pressed={shown === 'differing'}
                disabled={!compared}
                onClick={() => setShow('differing')}
              >
                Differing {compared && <span className="faint">{table.data?.differing}</span>}
              </Button>
              <Button
                size="small"
                pressed={shown === 'mentioned'}
                onClick={() => setShow('mentioned')}
              >
                Mentioned
              </Button>
              <Button size="small" pressed={shown === 'all'} onClick={() => setShow('all')}>
                All <span className="faint">{table.data && formatNumber(table.data.total, 0)}</span>
              </Button>
            </div>
            <Filter value={words} onChange={setWords} label="Filter by name or value" />
          </>
        }
        file="settings"
        note={
          missing && (
            <Banner>
              The source in this link is no longer in the incident: it was excluded, deleted or
              parsed again without settings. Another source is shown instead.
            </Banner>
          )
        }
        empty={{
          message: (
            <Loaded query={table} what="The settings could not be read">
              {(data) => (
                <EmptyState
                  compact
                  title={
                    show === 'differing' && compared && !words
                      ? 'No differences'
                      : 'No matching settings'
                  }
                  action={
                    <Button
                      onClick={() => {
                        setShow('all')
                        setWords(null)
                      }}
                    >
                      Show all {formatNumber(data.total, 0)}
                    </Button>
                  }
                >
                  {show === 'differing' && compared && !words
                    ? 'Ids, paths and positions are ignored: they differ between any two servers.'
                    : 'The filter hides every row.'}
                </EmptyState>
              )}
            </Loaded>
          ),
        }}
        label="Server settings"
        rows={rows}
        columns={columns}
        rowKey={(row) => row.name}
        rowClass={(row) =>
          cx(
            row.state === 'changed' && compared && 'setting-differs',
            row.volatile && 'setting-volatile',
          )
        }
      />
    </div>
  )
}

function SourceChoice({
  label,
  sources,
  value,
  none,
  onChange,
}: {
  readonly label: string
  readonly sources: readonly SettingSource[]
  readonly value: string
  readonly none?: string
  readonly onChange: (id: string) => void
}) {
  return (
    <label className="tables-choice">
      <span className="field-label">{label}</span>
      <select
        className="select"
        aria-label={`${label} source`}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      >
        {none !== undefined && <option value="">{none}</option>}
        {sources.map((source) => (
          <option key={source.id} value={source.id}>
            {sourceWords(source)}
          </option>
        ))}
      </select>
    </label>
  )
}

function columnsOf(compared: boolean): Column<SettingRow>[] {
  const side = (which: 'a' | 'b', head: string): Column<SettingRow> => ({
    key: which,
    head,
    width: 'minmax(140px, 2fr)',
    cell: (row) => <Side side={row[which]} />,
    sort: (row) => row[which]?.value ?? null,
    text: (row) => row[which]?.value ?? '',
  })
  const state: Column<SettingRow> = {
    key: 'state',
    head: 'State',
    width: '112px',
    cell: (row) => {
      const [sign, word] = STATE_WORDS[row.state]
      return (
        <span className={`setting-state setting-${row.state}`}>
          <span aria-hidden="true">{sign}</span>{' '}
          {row.volatile && row.state !== 'same' ? 'always differs' : word}
        </span>
      )
    },
    sort: (row) => STATE_WORDS[row.state][1],
  }
  return [
    {
      key: 'name',
      head: 'Variable',
      width: 'minmax(200px, 2fr)',
      cell: (row) => (
        <span className="mono ellipsis" title={row.name}>
          {row.name}
        </span>
      ),
      sort: (row) => row.name,
    },
    ...(compared ? [state] : []),
    side('a', compared ? 'Left' : 'Value'),
    ...(compared ? [side('b', 'Right')] : []),
    {
      key: 'mentioned',
      head: 'Mentioned in',
      width: 'minmax(160px, 2fr)',
      cell: (row) => <Mentions row={row} />,
      sort: (row) => row.mentioned[0]?.title ?? null,
      text: (row) => row.mentioned.map((item) => item.title).join('; '),
    },
    {
      key: 'lines',
      head: 'Raw lines',
      width: '104px',
      cell: (row) => (
        <span className="setting-lines">
          {row.a && <Lines place={placeOf(row.a)} />}
          {row.b && <Lines place={placeOf(row.b)} />}
        </span>
      ),
    },
    {
      key: 'pin',
      head: 'Pin',
      width: '84px',
      cell: (row) => {
        const side = row.b ?? row.a
        return side ? (
          <PinRow place={placeOf(side)} title={pinTitle(row)} chosen={{ q: row.name }}>
            Pin
          </PinRow>
        ) : null
      },
    },
  ]
}

function Side({ side }: { readonly side: SettingSide | null }) {
  if (!side) return <span className="faint">not set</span>
  if (side.value === null) return <span className="faint">set without a value</span>
  if (side.value === '') return <span className="faint">empty</span>
  return (
    <span className="mono" title={side.value}>
      {side.value}
      {side.cut && <span className="faint">…</span>}
    </span>
  )
}

function Mentions({ row }: { readonly row: SettingRow }) {
  const [first, ...more] = row.mentioned
  if (!first) return null
  const all = row.mentioned.map((item) => `${item.by}: ${item.title}`).join('\n')
  return (
    <span className="setting-mentions" title={all}>
      <Chip
        tone={first.by === 'finding' ? 'waiting' : 'plain'}
        mark={first.by === 'finding' ? '!' : ''}
      >
        {first.by}
      </Chip>
      <span className="ellipsis muted">{first.title}</span>
      {more.length > 0 && <span className="faint">+{more.length}</span>}
    </span>
  )
}

const placeOf = (side: SettingSide) => ({
  artifact: side.artifact,
  line_first: side.line,
  line_last: side.line,
})

const pinTitle = (row: SettingRow) =>
  row.a && row.b
    ? `${row.name}: ${row.a.value ?? 'set'} and ${row.b.value ?? 'set'}`
    : `${row.name} = ${(row.a ?? row.b)?.value ?? 'set'}`
