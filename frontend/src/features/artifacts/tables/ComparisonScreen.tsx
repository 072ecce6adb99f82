/**
 * Two tables side by side: rows added, gone and changed, with difference and ratio.
 * ?before=&beforeTable=&after=&afterTable=&key=&rows= is the permalink.
 */
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from 'react-router'
import type { TableComparison, TableRef } from '@/api/schema'
import { formatCount, formatNumber } from '@/format'
import { useIncidentId } from '@/state/incident'
import { flag, list, sharedSearch, text, useUrlChange, useUrlState } from '@/state/url'
import { Button } from '@/ui/controls/Button'
import { CopyButton } from '@/ui/controls/CopyButton'
import { rawLinesPath } from '@/ui/evidence/evidence'
import { ExportMenu } from '@/ui/controls/ExportMenu'
import { Banner, EmptyState, Problem, SkeletonRows } from '@/ui/display/States'
import { ComparisonTable } from './ComparisonTable'
import {
  comparisonRows,
  comparisonTsv,
  differing,
  DIFFERENT,
  firstPair,
  likeliest,
  MARKS,
  partners,
  type RowState,
  STATES,
} from './comparison'
import { COMPARED_ROWS, comparisonQuery, tablesQuery } from './tableQueries'
import './tables.css'

export default function ComparisonScreen() {
  const incidentId = useIncidentId()
  const tables = useQuery(tablesQuery(incidentId))
  const [beforeId] = useUrlState('before', text, '')
  const [beforeName] = useUrlState('beforeTable', text, '')
  const [afterId] = useUrlState('after', text, '')
  const [afterName] = useUrlState('afterTable', text, '')
  const { search } = useLocation()
  if (tables.error)
    return (
      <Problem
        error={tables.error}
        what="The tables could not be read"
        onRetry={() => void tables.refetch()}
      />
    )
  if (!tables.data) return <SkeletonRows rows={12} />
  const { items } = tables.data
  const back = `/incidents/${incidentId}/artifacts${sharedSearch(search)}`
  if (items.length < 2)
    return (
      <EmptyState
        title="Two tables are needed to compare"
        action={
          <Link className="btn btn-plain" to={back}>
            Show the artifacts
          </Link>
        }
      >
        Result sets, benchmark summaries and query digests become tables. This incident has{' '}
        {items.length === 1 ? 'one table' : 'no tables'}: upload captures from before and after.
      </EmptyState>
    )
  const find = (id: string, name: string) =>
    items.find((item) => item.artifact === id && item.name === name)
  const [earlier, later] = firstPair(items)
  const noneChosen = !beforeId && !afterId
  const before =
    find(beforeId, beforeName) ?? (beforeId ? undefined : noneChosen ? earlier : items[0])
  const after =
    find(afterId, afterName) ??
    (afterId ? undefined : noneChosen ? later : likeliest(items, before))
  const gone = (beforeId && !before) || (afterId && !after)
  return (
    <div className="comparison">
      <div className="comparison-title">
        <h1>Two tables compared</h1>
        <Link to={back}>All artifacts</Link>
      </div>
      <Choice items={items} before={before} after={after} incidentId={incidentId} />
      {gone ? (
        <EmptyState title="Table not found">
          Its artifact was deleted from the incident, or parsed again with other table names. Choose
          another table.
        </EmptyState>
      ) : before && after ? (
        <Difference before={before} after={after} />
      ) : (
        <EmptyState title="Choose the other table">
          No other table of this incident has the same columns
          {before && partners(items, before).some.length > 0 ? '; some share a few.' : '.'}
        </EmptyState>
      )}
    </div>
  )
}

function Choice({
  items,
  before,
  after,
  incidentId,
}: {
  readonly items: readonly TableRef[]
  readonly before: TableRef | undefined
  readonly after: TableRef | undefined
  readonly incidentId: string
}) {
  const change = useUrlChange()
  const set = (side: 'before' | 'after', table: TableRef | undefined) =>
    change(
      {
        [side]: table ? [table.artifact] : [],
        [`${side}Table`]: table ? [table.name] : [],
        key: [],
      },
      { push: true },
    )
  const { same, some } = partners(items, before)
  return (
    <header className="comparison-head">
      <Chooser
        label="Before"
        incidentId={incidentId}
        chosen={before}
        groups={[['Tables', items]]}
        onChange={(table) => set('before', table)}
      />
      <Button
        size="small"
        className="comparison-swap"
        disabled={!before || !after}
        onClick={() => {
          set('before', after)
          set('after', before)
        }}
      >
        Swap ⇄
      </Button>
      <Chooser
        label="After"
        incidentId={incidentId}
        chosen={after}
        groups={[
          ['Same columns', same],
          ['Some columns in common', some],
        ]}
        onChange={(table) => set('after', table)}
      />
    </header>
  )
}

function Chooser({
  label,
  chosen,
  groups,
  incidentId,
  onChange,
}: {
  readonly label: string
  readonly chosen: TableRef | undefined
  readonly groups: readonly (readonly [string, readonly TableRef[]])[]
  readonly incidentId: string
  readonly onChange: (table: TableRef | undefined) => void
}) {
  const { search } = useLocation()
  const all = groups.flatMap(([, tables]) => tables)
  const known = chosen && !all.includes(chosen) ? [chosen, ...all] : all
  const id = (table: TableRef) => `${table.artifact}\n${table.name}`
  return (
    <label className="comparison-side">
      <span className="field-label">{label}</span>
      <select
        className="select"
        value={chosen ? id(chosen) : ''}
        onChange={(event) => onChange(known.find((table) => id(table) === event.target.value))}
      >
        {!chosen && (
          <option value="" disabled>
            Choose a table
          </option>
        )}
        {chosen && !all.includes(chosen) && (
          <option value={id(chosen)}>{choiceWords(chosen)}</option>
        )}
        {groups.map(
          ([title, tables]) =>
            tables.length > 0 && (
              <optgroup key={title} label={title}>
                {tables.map((table) => (
                  <option key={id(table)} value={id(table)}>
                    {choiceWords(table)}
                  </option>
                ))}
              </optgroup>
            ),
        )}
      </select>
      {chosen && (
        <span className="faint comparison-lines">
          {formatNumber(chosen.rows, 0)} rows,{' '}
          <Link
            to={rawLinesPath(
              incidentId,
              chosen.artifact,
              chosen.line_first,
              chosen.line_last,
              search,
            )}
          >
            lines {chosen.line_first}–{chosen.line_last}
          </Link>
        </span>
      )}
    </label>
  )
}

/** Return the label of a table: the file before its folders, which are long and often the same. */
function choiceWords({ name, path }: TableRef): string {
  const parts = path.split('/')
  const file = parts.pop() ?? path
  return `${name.length > 60 ? `${name.slice(0, 59)}…` : name}, ${file}${parts[0] ? `, in ${parts[0]}` : ''}`
}

function Difference({ before, after }: { readonly before: TableRef; readonly after: TableRef }) {
  const [rows, setRows] = useUrlState<readonly string[]>('rows', list, DIFFERENT)
  const [key, setKey] = useUrlState<readonly string[]>('key', list, [])
  const [every, setEvery] = useUrlState('all', flag, false)
  const wanted = STATES.filter((state) => rows.includes(state))
  const result = useQuery(
    comparisonQuery(
      { artifact: before.artifact, name: before.name },
      { artifact: after.artifact, name: after.name },
      key,
      wanted,
    ),
  )
  if (result.error && !result.data)
    return (
      <Problem
        error={result.error}
        what="These tables cannot be compared"
        onRetry={() => (key.length ? setKey(null) : void result.refetch())}
      />
    )
  if (!result.data) return <SkeletonRows rows={12} />
  const { data } = result
  const differ = differing(data)
  const hidden = data.columns.length - differ.length
  const toggle = (state: RowState) => {
    const next = wanted.includes(state)
      ? wanted.filter((name) => name !== state)
      : STATES.filter((name) => name === state || wanted.includes(name))
    if (next.length) setRows(next)
  }
  const shared = before.columns.filter((name) => after.columns.includes(name))
  return (
    <>
      <div className="comparison-tools">
        <div className="segments" role="group" aria-label="Rows">
          {STATES.map((state) => (
            <Button
              key={state}
              size="small"
              pressed={wanted.includes(state)}
              onClick={() => toggle(state)}
            >
              <span aria-hidden="true">{MARKS[state]}</span> {state}{' '}
              <span className="faint">{formatNumber(data[state], 0)}</span>
            </Button>
          ))}
        </div>
        {hidden > 0 && (
          <Button size="small" pressed={every} onClick={() => setEvery(!every)}>
            {every
              ? 'Hide columns without a difference'
              : `Show ${formatCount(hidden, 'column')} without a difference`}
          </Button>
        )}
        <Keys shared={shared} keys={data.keys} onChange={setKey} />
        <span className="results-space" />
        <CopyButton text={() => comparisonTsv(data)}>Copy as TSV</CopyButton>
        <ExportMenu
          name={['comparison', before.name.slice(0, 60)]}
          rows={() => comparisonRows(data)}
        />
      </div>
      <Notes found={data} />
      {result.error && (
        <Problem compact error={result.error} what="These tables cannot be compared" />
      )}
      {data.total === 0 ? (
        <EmptyState
          title={wanted.includes('same') ? 'No rows in these states' : 'No rows differ'}
          action={
            data.same > 0 &&
            !wanted.includes('same') && (
              <Button onClick={() => setRows(STATES)}>
                Show the {formatNumber(data.same, 0)} that are the same
              </Button>
            )
          }
        >
          {formatCount(data.same, 'row')} {data.same === 1 ? 'is' : 'are'} the same in both tables.
        </EmptyState>
      ) : (
        <div className="results-rows">
          <ComparisonTable found={data} shown={every ? data.columns.map((_, at) => at) : differ} />
        </div>
      )}
    </>
  )
}

/** The choice of key columns, which identify rows. */
function Keys({
  shared,
  keys,
  onChange,
}: {
  readonly shared: readonly string[]
  readonly keys: readonly string[]
  readonly onChange: (keys: readonly string[] | null) => void
}) {
  return (
    <details className="comparison-keys">
      <summary>
        Rows identified by <strong>{keys.join(', ')}</strong>
      </summary>
      <div className="comparison-keys-list" role="group" aria-label="Key columns">
        {shared.map((name) => (
          <label key={name}>
            <input
              type="checkbox"
              checked={keys.includes(name)}
              onChange={() => {
                const next = shared.filter((item) => keys.includes(item) !== (item === name))
                onChange(next.length ? next : null)
              }}
            />{' '}
            {name}
          </label>
        ))}
      </div>
    </details>
  )
}

function Notes({ found }: { readonly found: TableComparison }) {
  const alone = [
    found.only_before.length && `only before: ${found.only_before.join(', ')}`,
    found.only_after.length && `only after: ${found.only_after.join(', ')}`,
  ].filter(Boolean)
  return (
    <>
      {alone.length > 0 && (
        <Banner tone="plain">Columns of only one table are left out ({alone.join('; ')}).</Banner>
      )}
      {found.ambiguous > 0 && (
        <Banner>
          {found.ambiguous === 1
            ? '1 row has the key of another row: it is'
            : `${formatNumber(found.ambiguous, 0)} rows have the key of another row: they are`}{' '}
          matched in the order printed. Add key columns.
        </Banner>
      )}
      {found.total > found.rows.length && (
        <Banner>
          The first {formatNumber(COMPARED_ROWS, 0)} of {formatNumber(found.total, 0)} rows are
          shown; the counts are of all.
        </Banner>
      )}
    </>
  )
}
