/** The audit trail as sentences, filtered and paged: of one incident, or of all for admins. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import type { components } from '@/api/schema'
import { Button } from '@/ui/controls/Button'
import { Field } from '@/ui/controls/Field'
import { EmptyState, NotRefreshed, Problem, SkeletonRows } from '@/ui/display/States'
import { didMany, groupEntries } from './groups'
import { detailWords, didWhat, kindWord, targetPath } from './trailWords'
import { Time } from '@/ui/display/Value'
import './trail.css'

type Entry = components['schemas']['ActivityEntry']
type Wanted = {
  readonly person?: string
  readonly kind?: string
  readonly from?: string
  readonly to?: string
}

const PAGE = 100

export function Trail({ incidentId }: { readonly incidentId: string | null }) {
  const [wanted, setWanted] = useState<Wanted>({})
  const key = incidentId ? keys.of(incidentId, 'activity') : keys.audit
  const filters = useQuery({
    queryKey: [...key, 'filters'],
    queryFn: () =>
      incidentId
        ? unwrap(
            api.GET('/api/v1/incidents/{incident_id}/activity/filters', {
              params: { path: { incident_id: incidentId } },
            }),
          )
        : unwrap(api.GET('/api/v1/audit/filters')),
  })
  const entries = useInfiniteQuery({
    queryKey: [...key, 'entries', wanted],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) => {
      const query = { ...wanted, limit: PAGE, ...(pageParam ? { before: pageParam } : {}) }
      return incidentId
        ? unwrap(
            api.GET('/api/v1/incidents/{incident_id}/activity', {
              params: { path: { incident_id: incidentId }, query },
            }),
          )
        : unwrap(api.GET('/api/v1/audit', { params: { query } }))
    },
    getNextPageParam: (last) => (last.length < PAGE ? undefined : last.at(-1)?.id),
  })
  const change = (name: keyof Wanted, value: string) =>
    setWanted(({ [name]: _, ...rest }) => (value ? { ...rest, [name]: value } : rest))
  const all = entries.data?.pages.flat() ?? []
  const runs = groupEntries(all)
  return (
    <>
      <div className="trail-filter">
        <Choice
          label="Person"
          none="everybody"
          options={(filters.data?.people ?? []).map((name) => [name, name])}
          onChange={(value) => change('person', value)}
        />
        <Choice
          label="Kind"
          none="everything"
          options={(filters.data?.kinds ?? []).map((kind) => [kind, kindWord(kind)])}
          onChange={(value) => change('kind', value)}
        />
        <Moment label="From (UTC)" onChange={(value) => change('from', value)} />
        <Moment label="To (UTC)" onChange={(value) => change('to', value)} />
        {!incidentId && (
          <a
            className="btn"
            download
            href={`/api/v1/audit/export?${new URLSearchParams(wanted).toString()}`}
          >
            Export CSV
          </a>
        )}
      </div>
      {entries.isLoadingError ? (
        <Problem
          error={entries.error}
          what="The activity could not be read"
          onRetry={() => void entries.refetch()}
        />
      ) : entries.isPending ? (
        <SkeletonRows rows={8} />
      ) : all.length === 0 ? (
        <EmptyState compact title="No matching activity" />
      ) : (
        <>
          <NotRefreshed query={entries} />
          <ol className="trail">
            {runs.map((run, index) =>
              run.length === 1 ? (
                run.map((entry) => <Line key={entry.id} entry={entry} incidentId={incidentId} />)
              ) : (
                <Run
                  key={run.at(0)?.id}
                  run={run}
                  more={index === runs.length - 1 && entries.hasNextPage}
                  incidentId={incidentId}
                />
              ),
            )}
          </ol>
        </>
      )}
      {entries.hasNextPage && (
        <p className="trail-more">
          <Button busy={entries.isFetchingNextPage} onClick={() => void entries.fetchNextPage()}>
            Earlier
          </Button>
        </p>
      )}
    </>
  )
}

/** Many equal actions as one line that unfolds. */
function Run({
  run,
  more,
  incidentId,
}: {
  readonly run: readonly Entry[]
  readonly more: boolean
  readonly incidentId: string | null
}) {
  const [open, setOpen] = useState(false)
  const [newest] = run
  if (!newest) return null
  return (
    <>
      <li className="trail-entry" data-testid="activity-run">
        <span className="trail-when">
          <Time at={newest.at} />
        </span>
        <span className="trail-what">
          <strong>{newest.user_name}</strong>{' '}
          <button
            type="button"
            className="linklike"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
          >
            {didMany(run, more)}
          </button>
        </span>
      </li>
      {open && run.map((entry) => <Line key={entry.id} entry={entry} incidentId={incidentId} />)}
    </>
  )
}

function Line({
  entry,
  incidentId,
}: {
  readonly entry: Entry
  readonly incidentId: string | null
}) {
  const path = targetPath(entry)
  const detail = detailWords(entry)
  return (
    <li className="trail-entry" data-testid="activity-entry">
      <span className="trail-when">
        <Time at={entry.at} />
      </span>
      <span className="trail-what">
        <strong>{entry.user_name}</strong>{' '}
        {entry.name ? (
          <>
            {didWhat(entry)} {path ? <Link to={path}>{entry.name}</Link> : <em>{entry.name}</em>}
          </>
        ) : path ? (
          <Link to={path}>{didWhat(entry)}</Link>
        ) : (
          didWhat(entry)
        )}
        {detail && <span className="trail-detail"> · {detail}</span>}
        {!incidentId && entry.incident_id && (
          <>
            {' '}
            <Link className="faint" to={`/incidents/${entry.incident_id}/activity`}>
              incident
            </Link>
          </>
        )}
      </span>
    </li>
  )
}

function Choice({
  label,
  none,
  options,
  onChange,
}: {
  readonly label: string
  readonly none: string
  readonly options: readonly (readonly [value: string, name: string])[]
  readonly onChange: (value: string) => void
}) {
  return (
    <Field label={label}>
      {(ids) => (
        <select {...ids} className="select" onChange={(event) => onChange(event.target.value)}>
          <option value="">{none}</option>
          {options.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

function Moment({
  label,
  onChange,
}: {
  readonly label: string
  readonly onChange: (value: string) => void
}) {
  return (
    <Field label={label}>
      {(ids) => (
        <input
          {...ids}
          className="input"
          type="datetime-local"
          onChange={(event) => onChange(event.target.value ? `${event.target.value}:00Z` : '')}
        />
      )}
    </Field>
  )
}
