/** The same marks and lanes as tables, for keyboards, screen readers and copying. */
import { useMemo } from 'react'
import { Link, useLocation } from 'react-router'
import type { Interval } from '@/charts/range'
import { useIncidentId, useZone } from '@/state/incident'
import { sharedSearch } from '@/state/url'
import { Button } from '@/ui/controls/Button'
import { type Column, Table } from '@/ui/table/Table'
import { Measured, Time } from '@/ui/display/Value'
import type { Series, WindowLane } from '../model/documents'
import type { Item, Lane } from '../model/laneTypes'
import { OPENS } from './WindowBar'

type Props = {
  /** The lanes that the timeline shows, filtered by the search. */
  readonly lanes: readonly Lane[]
  readonly range: Interval
  readonly compared: readonly WindowLane[]
  readonly series: ReadonlyMap<string, Series>
  readonly paths: ReadonlyMap<string, string>
  readonly picked: string | null
  readonly onPick: (item: Item, lane: Lane) => void
  readonly onOpen: (item: Item) => void
}

export function EventTable(props: Props) {
  const { lanes, range, compared, series, paths, picked, onPick, onOpen } = props
  const zone = useZone()
  const rows = useMemo(() => markRows(lanes, range), [lanes, range])
  const columns: Column<MarkRow>[] = [
    {
      key: 'time',
      head: `Time (${zone.label})`,
      width: '190px',
      cell: ({ item }) => (
        <span className="mono">
          <Time at={item.start} style="full" />
        </span>
      ),
      sort: ({ item }) => item.start,
      text: ({ item }) => zone.format(item.start, 'full'),
    },
    {
      key: 'until',
      head: 'Until',
      width: '100px',
      cell: ({ item }) =>
        item.open ? (
          <span className="faint">not captured</span>
        ) : (
          item.end > item.start && <Time at={item.end} style="clock" />
        ),
      sort: ({ item }) => (item.end > item.start && !item.open ? item.end : null),
      text: ({ item }) => (item.end > item.start ? zone.format(item.end, 'full') : ''),
    },
    {
      key: 'lane',
      head: 'Lane',
      width: '170px',
      cell: ({ lane }) => lane.title,
      sort: ({ lane }) => lane.title,
    },
    {
      key: 'what',
      head: 'What',
      width: 'minmax(240px, 1fr)',
      cell: ({ item }) => (
        <span className="ellipsis" title={item.label}>
          {item.label}
        </span>
      ),
      sort: ({ item }) => item.label,
    },
    {
      key: 'opens',
      head: 'Leads to',
      width: '130px',
      cell: ({ item }) =>
        item.opens && (
          <Button size="small" variant="ghost" onClick={() => onOpen(item)}>
            {OPENS[item.opens.kind]}
          </Button>
        ),
    },
  ]
  return (
    <div className="timeline-tables scroll">
      {compared.length > 0 && <LaneTable lanes={compared} series={series} paths={paths} />}
      <h2>Stalls, snapshots with waiters, events, notes and long transactions in this window</h2>
      {rows.length === 0 ? (
        <p className="faint">No marks in this window. Press 0 to show the whole capture.</p>
      ) : (
        <div className="timeline-marks">
          <Table
            fill
            copy
            rows={rows}
            columns={columns}
            rowKey={({ item }) => item.key}
            label="Marks of the timeline"
            selected={picked}
            onSelect={({ item, lane }) => onPick(item, lane)}
          />
        </div>
      )}
    </div>
  )
}

/** Every compared lane in numbers, with the file they were read from. */
function LaneTable({
  lanes,
  series,
  paths,
}: {
  readonly lanes: readonly WindowLane[]
  readonly series: ReadonlyMap<string, Series>
  readonly paths: ReadonlyMap<string, string>
}) {
  const id = useIncidentId()
  const { search } = useLocation()
  const unit = (lane: WindowLane) => {
    const of = series.get(lane.id)
    return of?.kind === 'counter' ? `${of.unit ?? '1'}/s` : (of?.unit ?? '')
  }
  const name = (lane: WindowLane) => {
    const of = series.get(lane.id)
    return of ? [of.title, of.detail].filter(Boolean).join(', ') : lane.id
  }
  const numbers = [
    ['before', 'Mean before'],
    ['now', 'Mean now'],
    ['min', 'Minimum'],
    ['max', 'Maximum'],
  ] as const
  const columns: Column<WindowLane>[] = [
    {
      key: 'series',
      head: 'Series',
      width: 'minmax(220px, 2fr)',
      cell: (lane) => (
        <span className="ellipsis" title={name(lane)}>
          {name(lane)}
        </span>
      ),
      sort: name,
    },
    {
      key: 'host',
      head: 'Host',
      width: '130px',
      cell: (lane) => series.get(lane.id)?.host ?? '',
      sort: (lane) => series.get(lane.id)?.host ?? null,
    },
    ...numbers.map(([key, head]): Column<WindowLane> => ({
      ...{ key, head, kind: 'number', width: '130px' },
      cell: (lane) => <Measured value={lane[key]} unit={unit(lane)} />,
      sort: (lane) => lane[key],
      text: (lane) => `${lane[key] ?? ''} ${lane[key] === null ? '' : unit(lane)}`.trim(),
    })),
    {
      key: 'samples',
      head: 'Samples',
      kind: 'number',
      width: '80px',
      cell: (lane) => lane.samples,
      sort: (lane) => lane.samples,
    },
    {
      key: 'file',
      head: 'Read from',
      width: 'minmax(120px, 1fr)',
      cell: (lane) => {
        const artifact = series.get(lane.id)?.artifact
        const path = artifact && paths.get(artifact)
        if (!artifact || !path) return null
        return (
          <Link
            className="mono ellipsis"
            title={path}
            to={`/incidents/${id}/artifacts${sharedSearch(search, { artifact })}`}
          >
            {path.split('/').at(-1)}
          </Link>
        )
      },
      sort: (lane) => paths.get(series.get(lane.id)?.artifact ?? '') ?? null,
    },
  ]
  return (
    <>
      <h2>Lanes in this window, against the window of the same length before</h2>
      <Table
        copy
        rows={lanes}
        columns={columns}
        rowKey={(lane) => lane.id}
        label="Lanes in numbers"
      />
    </>
  )
}

type MarkRow = { readonly lane: Lane; readonly item: Item }

/** The marks of all lanes inside a window, in time order; snapshots only where somebody waits. */
export function markRows(lanes: readonly Lane[], [from, to]: Interval): MarkRow[] {
  return lanes
    .flatMap((lane) =>
      'items' in lane
        ? lane.items
            .filter((item) => item.end >= from && item.start <= to)
            .filter((item) => lane.kind !== 'snapshots' || item.tone !== 'idle')
            .map((item) => ({ lane, item }))
        : [],
    )
    .sort((a, b) => a.item.start - b.item.start)
}
