/** The table of all incidents; without any, three ways to start. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { type IncidentsFilter, incidentsQuery, useMay } from '@/api/queries'
import type { IncidentList, IncidentRow } from '@/api/schema'
import { flag, number, oneOf, text, useUrlChange, useUrlState } from '@/state/url'
import { Button, IconButton } from '@/ui/controls/Button'
import { Chip, type Tone } from '@/ui/controls/Chip'
import { useFileDrop } from '@/ui/controls/drop'
import { DeleteIncident } from '@/ui/panels/DeleteIncident'
import { DropVeil } from '@/ui/controls/DropZone'
import { MoreIcon, PlusIcon } from '@/ui/controls/icons'
import { Menu, MenuItem } from '@/ui/controls/Menu'
import { EmptyState, Problem, SkeletonRows } from '@/ui/display/States'
import { Pages } from '@/ui/table/Pages'
import { type Column, type Sort, Table } from '@/ui/table/Table'
import { Ago, Duration, Measured, Time } from '@/ui/display/Value'
import { SearchInput } from '@/ui/controls/SearchInput'
import { Begin } from './Begin'
import { DeletedIncidents } from './DeletedIncidents'
import { NewIncidentDialog } from './NewIncidentDialog'
import { ImportBundle } from './ImportBundle'
import { ListViews } from './ListViews'
import { PasteNewIncident } from './PasteNewIncident'
import { SampleMenu } from './SampleMenu'
import { SessionsPicture } from './SessionsPicture'
import { useImportBundle, useIncidentFromFiles } from './queries'
import './incidents.css'

const STATUSES = ['open', 'analysing', 'review', 'published'] as const
const STATUS = oneOf<(typeof STATUSES)[number] | 'all'>(['all', ...STATUSES])

const PAGE_ROWS = 100
type SortKey = NonNullable<IncidentsFilter['sort']>
const SORT = oneOf<SortKey>([
  ...([
    'created',
    'title',
    'status',
    'severity',
    'service',
    'engine',
    'onset',
    'duration',
  ] as const),
  ...(['peak', 'finding', 'owner', 'updated'] as const),
])

/** The filter, order and page in the address, and the changes of them. */
function useList() {
  const [words] = useUrlState('q', text, '')
  const [status] = useUrlState('status', STATUS, 'all')
  const [service] = useUrlState('service', text, '')
  const [team] = useUrlState('team', text, '')
  const [sort] = useUrlState<SortKey>('sort', SORT, 'created')
  const [down] = useUrlState('down', flag, false)
  const [page] = useUrlState('page', number, 0)
  const change = useUrlChange()
  const filter: IncidentsFilter = {
    ...(words ? { q: words } : {}),
    ...(status === 'all' ? {} : { status: [status] }),
    ...(service ? { service } : {}),
    ...(team ? { team } : {}),
    sort,
    down: sort === 'created' || down,
    limit: PAGE_ROWS,
    offset: page * PAGE_ROWS,
  }
  return {
    words,
    status,
    service,
    team,
    page,
    filter,
    sorting: {
      presorted: true,
      sort: sort === 'created' ? null : { key: sort, down },
      onSort: (next: Sort | null) =>
        change({ sort: next ? [next.key] : [], down: next?.down ? ['1'] : [], page: [] }),
    },
    search: (next: string) => change({ q: next ? [next] : [], page: [] }),
    showStatus: (next: string) => change({ status: next === 'all' ? [] : [next], page: [] }),
    showService: (next: string) => change({ service: next ? [next] : [], page: [] }),
    showTeam: (next: string) => change({ team: next ? [next] : [], page: [] }),
    showPage: (next: number) => change({ page: next ? [String(next)] : [] }, { push: true }),
    showAll: () => change({ q: [], status: [], service: [], team: [], page: [] }),
  }
}

type List = ReturnType<typeof useList>

export default function IncidentsScreen() {
  const list = useList()
  const incidents = useQuery({
    ...incidentsQuery(list.filter),
    placeholderData: keepPreviousData,
  })
  const mayWrite = useMay('contributor')
  const mayDelete = useMay('admin')
  const [creating, setCreating] = useState(false)
  const [deleting, setDeleting] = useState<IncidentRow | null>(null)
  const [bin, setBin] = useState(false)
  const [chosen, setChosen] = useState<string | null>(null)
  const fromFiles = useIncidentFromFiles()
  const bundle = useImportBundle()
  const over = useFileDrop((files) => fromFiles.mutate({ files }), mayWrite)
  const navigate = useNavigate()
  useEffect(() => {
    document.title = 'Incidents · Pileup'
  }, [])

  const items = incidents.data?.items
  const none = incidents.data?.everything === 0
  const columns = useMemo(
    () => (mayDelete ? [...COLUMNS, rowMenu(setDeleting)] : COLUMNS),
    [mayDelete],
  )

  return (
    <>
      <div className="incidents">
        <header className="incidents-head">
          <h1>Incidents</h1>
          {incidents.data && !none && (
            <Filters list={list} services={incidents.data.services} teams={incidents.data.teams} />
          )}
          <div className="incidents-actions">
            {incidents.data && !none && (
              <Pages
                page={list.page}
                size={PAGE_ROWS}
                total={incidents.data.total}
                onPage={list.showPage}
                what="incidents"
              />
            )}
            {mayDelete && (
              <Button variant="ghost" onClick={() => setBin(true)}>
                Deleted
              </Button>
            )}
            {mayWrite && (
              <>
                {!none && <SampleMenu />}
                <ImportBundle mutation={bundle} />
                <Button
                  variant="primary"
                  icon={<PlusIcon size={14} />}
                  onClick={() => setCreating(true)}
                >
                  New incident
                </Button>
              </>
            )}
          </div>
        </header>
        {fromFiles.error && (
          <Problem error={fromFiles.error} what="No incident was created from these files" />
        )}
        {bundle.error && <Problem error={bundle.error} what="The bundle was not imported" />}
        {incidents.isLoadingError ? (
          <Problem
            error={incidents.error}
            what="The incidents could not be read"
            onRetry={() => void incidents.refetch()}
          />
        ) : !items ? (
          <SkeletonRows rows={10} />
        ) : none ? (
          <Begin mayWrite={mayWrite} onFiles={(files) => fromFiles.mutate({ files })} />
        ) : items.length === 0 ? (
          <EmptyState
            title="No incident matches the filter"
            action={<Button onClick={list.showAll}>Show all {incidents.data?.everything}</Button>}
          />
        ) : (
          <div className="incidents-table">
            <Table
              fill
              rowHeight={rowHeight}
              label="Incidents"
              rows={items}
              columns={columns}
              rowKey={(row) => row.id}
              {...list.sorting}
              selected={chosen}
              onSelect={(row) => {
                if (chosen === row.id) void navigate(`/incidents/${row.id}/overview`)
                else setChosen(row.id)
              }}
            />
          </div>
        )}
      </div>
      {over && <DropVeil text="Drop to create an incident" />}
      {mayWrite && <PasteNewIncident create={fromFiles} enabled={mayWrite} />}
      <NewIncidentDialog open={creating} onOpenChange={setCreating} />
      {deleting && <DeleteIncident incident={deleting} onClose={() => setDeleting(null)} />}
      {bin && <DeletedIncidents onClose={() => setBin(false)} />}
    </>
  )
}

function Filters({
  list,
  services,
  teams,
}: {
  readonly list: List
  readonly services: readonly string[]
  readonly teams: IncidentList['teams']
}) {
  return (
    <>
      <SearchInput
        className="input incidents-search"
        aria-label="Filter the incidents"
        placeholder="Filter incidents"
        value={list.words}
        maxLength={200}
        onSearch={list.search}
      />
      <div className="segments" role="group" aria-label="Status">
        {(['all', ...STATUSES] as const).map((word) => (
          <Button
            key={word}
            size="small"
            pressed={list.status === word}
            onClick={() => list.showStatus(word)}
          >
            {word}
          </Button>
        ))}
      </div>
      {services.length > 1 && (
        <select
          className="input incidents-service"
          aria-label="Service"
          value={list.service}
          onChange={(event) => list.showService(event.target.value)}
        >
          <option value="">all services</option>
          {services.map((service) => (
            <option key={service}>{service}</option>
          ))}
        </select>
      )}
      {teams.length > 0 && (
        <select
          className="input incidents-service"
          aria-label="Team"
          value={list.team}
          onChange={(event) => list.showTeam(event.target.value)}
        >
          <option value="">all teams</option>
          {teams.map((team) => (
            <option key={team.id} value={team.id}>
              {team.name}
            </option>
          ))}
        </select>
      )}
      <ListViews />
    </>
  )
}

const STATUS_TONE: Record<IncidentRow['status'], Tone> = {
  open: 'waiting',
  analysing: 'accent',
  review: 'idle',
  published: 'running',
}

/** A short text in full, on several lines where its column is narrow. */
const Wrapped = ({ text: words }: { readonly text: string | null }) =>
  words ? <span className="incident-wrapped">{words}</span> : <span className="faint">–</span>

/** Title, story and finding take fewer lines where there is room. */
const rowHeight = (width: number) => (width < 1700 ? 96 : 72)

const COLUMNS: readonly Column<IncidentRow>[] = [
  {
    key: 'title',
    head: 'Incident',
    width: 'minmax(340px, 5fr)',
    sort: (row) => row.title,
    cell: (row) => (
      <div className="incident-cell">
        <Link className="incident-link" to={`/incidents/${row.id}/overview`} title={row.title}>
          {row.title}
        </Link>
        {row.visibility === 'private' && <Chip>private</Chip>}
        {row.story && (
          <span className="incident-story" title={row.story}>
            {row.story}
          </span>
        )}
      </div>
    ),
  },
  {
    key: 'status',
    head: 'Status',
    width: '84px',
    sort: (row) => STATUSES.indexOf(row.status),
    cell: (row) => <Chip tone={STATUS_TONE[row.status]}>{row.status}</Chip>,
  },
  {
    key: 'severity',
    head: 'Sev',
    title: 'Severity',
    width: '44px',
    sort: (row) => row.severity,
    cell: (row) => row.severity?.replace('sev', '') ?? <span className="faint">–</span>,
  },
  {
    key: 'service',
    optional: true,
    head: 'Service',
    width: 'minmax(80px, 0.7fr)',
    sort: (row) => row.service,
    cell: (row) => <Wrapped text={row.service} />,
  },
  {
    key: 'engine',
    optional: true,
    head: 'Server',
    width: 'minmax(96px, 0.7fr)',
    sort: (row) => row.engine,
    cell: (row) => <Wrapped text={row.engine} />,
  },
  {
    key: 'onset',
    head: 'Onset',
    width: '164px',
    sort: (row) => row.onset,
    cell: (row) => <Time at={row.onset} />,
  },
  {
    key: 'duration',
    head: 'Lasted',
    kind: 'number',
    width: '76px',
    sort: (row) => row.duration_s,
    cell: (row) => <Duration value={row.duration_s} />,
  },
  {
    key: 'peak',
    head: 'Peak',
    title: 'Most sessions waiting at the same time; running sessions where no snapshot shows waits',
    kind: 'number',
    width: '60px',
    sort: (row) => row.peak_waiters,
    cell: (row) => <Measured value={row.peak_waiters} />,
  },
  {
    key: 'spark',
    head: 'Sessions',
    title: 'Active sessions over time, by what they waited for',
    width: '136px',
    cell: (row) => <SessionsPicture row={row} />,
  },
  {
    key: 'finding',
    head: 'Leading hypothesis, or finding',
    width: 'minmax(180px, 3fr)',
    sort: (row) => row.finding?.title ?? null,
    cell: (row) => <Leading row={row} />,
  },
  {
    key: 'owner',
    optional: true,
    head: 'Owner',
    width: 'minmax(80px, 0.7fr)',
    sort: (row) => row.owner?.name ?? null,
    cell: (row) =>
      row.owner ? (
        <span className="incident-owner">{row.owner.name}</span>
      ) : (
        <span className="faint">–</span>
      ),
  },
  {
    key: 'updated',
    head: 'Updated',
    width: '88px',
    sort: (row) => row.updated_at,
    cell: (row) => <Ago at={row.updated_at} />,
  },
]

const rowMenu = (onDelete: (row: IncidentRow) => void): Column<IncidentRow> => ({
  key: 'menu',
  head: 'More',
  width: '60px',
  cell: (row) => (
    <Menu
      trigger={
        <IconButton
          size="small"
          label={`More actions for ${row.title}`}
          icon={<MoreIcon size={14} />}
        />
      }
    >
      <MenuItem danger onSelect={() => onDelete(row)}>
        Delete the incident…
      </MenuItem>
    </Menu>
  ),
})

function Leading({ row }: { readonly row: IncidentRow }) {
  if (row.leading) {
    return (
      <span className="incident-finding" title={row.leading.statement}>
        <strong>{row.leading.confidence}%</strong> {row.leading.statement}
      </span>
    )
  }
  if (row.finding) {
    return (
      <span className="incident-finding muted" title={row.finding.title}>
        {row.finding.title}
      </span>
    )
  }
  return <span className="faint">–</span>
}
