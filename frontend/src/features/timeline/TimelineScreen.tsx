/** The timeline: lanes of everything on one clock, with one range for all screens. */
import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { incidentQuery, overviewQuery, useMay } from '@/api/queries'
import { iso, panned, parseIso, zoomed, type Interval } from '@/charts/time'
import { useWidth } from '@/charts/useWidth'
import { useIncidentId, useRange, useZone } from '@/state/incident'
import { useKeys } from '@/state/keys'
import { useViewKeys } from '@/state/viewKeys'
import {
  flag,
  list,
  oneOf,
  sharedSearch,
  text,
  useStanding,
  useUrlChange,
  useUrlState,
} from '@/state/url'
import { Button } from '@/ui/controls/Button'
import { SeeArtifacts } from '@/ui/evidence/SeeArtifacts'
import { Banner, EmptyState, Problem, SkeletonRows } from '@/ui/display/States'
import { AnnotationDialog } from './panels/AnnotationDialog'
import { BesideDialog, BesideLine, useOthers } from './panels/OtherIncidents'
import { changed, readChoices, writeChoices } from './model/laneChoices'
import { EventTable } from './panels/EventTable'
import { timelineRows, timelineSvg } from './plot/exportView'
import { marksQuery, seriesQuery, stripsQuery } from './model/firstQueries'
import { TIMELINE_KEYS } from './keys'
import { LaneHead, LatestActs } from './plot/LaneHead'
import { buildLanes, FIELDS, type Item, type Lane, nextItem, stack } from './model/lanes'
import { LEFT, RIGHT } from './plot/layout'
import { firstLook, onsetShifts, summary, wholeRange } from './model/marks'
import { MarkedSpan, readSpan, writeSpan } from './plot/MarkedSpan'
import { OverviewStrip } from './plot/OverviewStrip'
import { Plot } from './plot/Plot'
import {
  type Annotation,
  askWhatMoved,
  lanesVersionQuery,
  stripLaneQuery,
  tilesOf,
  windowQuery,
} from './model/queries'
import { SeriesPicker } from './panels/SeriesPicker'
import { StallBands } from './plot/StallBands'
import { TimelineBar } from './panels/TimelineBar'
import { TimelineView } from './plot/view'
import { WindowBar } from './panels/WindowBar'
import './timeline.css'

const VIEWS = ['lanes', 'table'] as const
const VIEW = oneOf(VIEWS)
const VIEW_NAMES = { lanes: 'Lanes', table: 'Table' } as const
const BY = oneOf([...FIELDS, ''] as const)
/** Handles of a stall in the order in which o goes through them. */
const HANDLES = ['onset', 'end', 'baselineStart', 'baselineEnd'] as const
const SHOW = oneOf(['proposed', 'all'] as const)
/** Lanes that the bar and the heads compare with the window before; the server takes no more. */
const COMPARED = 40

export default function TimelineScreen() {
  const id = useIncidentId()
  const zone = useZone()
  const navigate = useNavigate()
  const changeUrl = useUrlChange()
  const mayWrite = useMay('contributor')
  const [asked, setRange] = useRange()
  const [chosen, setChosen] = useUrlState<readonly string[]>('series', list, [])
  const [show, setShow] = useUrlState('show', SHOW, 'proposed')
  const [query, setQuery] = useUrlState('q', text, '')
  const [setUp] = useUrlState<readonly string[]>('set', list, [])
  const [order, setOrder] = useUrlState<readonly string[]>('order', list, [])
  const [by, setBy] = useUrlState('by', BY, '')
  const [aligned, setAligned] = useUrlState('aligned', flag, false)
  const [shape, setShape] = useUrlState('view', VIEW, 'lanes')
  const [marked, setMarked] = useUrlState('span', text, '')
  const [besideIds, setBeside] = useUrlState<readonly string[]>('beside', list, [])
  const [picking, setPicking] = useState(false)
  const [aligning, setAligning] = useState(false)
  const [noting, setNoting] = useState<Interval | number | Annotation | null>(null)
  const [active, setActive] = useUrlState('lane', text, '')
  const [mark, setMark] = useUrlState('mark', text, '')
  const [moving, setMoving] = useState<{ busy: boolean; error: unknown; found: number | null }>({
    ...{ busy: false, error: null, found: null },
  })
  const [tileError, setTileError] = useState<unknown>(null)
  const [frame, width] = useWidth<HTMLDivElement>(1200)
  const search = useRef<HTMLInputElement>(null)
  const [acts] = useState(() => new LatestActs())
  const plotWidth = Math.max(100, width - LEFT - RIGHT)

  const incident = useQuery(incidentQuery(id))
  const overview = useQuery(overviewQuery(id))
  const series = useQuery(seriesQuery(id))
  const marks = useQuery(marksQuery(id))
  const strips = useQuery(stripsQuery(id))
  const version = useQuery(lanesVersionQuery(id))
  const { others, failed } = useOthers(besideIds, marks.data)

  const [view] = useState(() => new TimelineView(tilesOf(id)))
  useEffect(() => () => view.dispose(), [view])
  useEffect(() => view.tiles.clear(), [view, version.data])

  const whole = useMemo(() => wholeRange(marks.data), [marks.data])
  const range = useMemo<Interval | null>(() => {
    const from = parseIso(asked.from)
    const to = parseIso(asked.to)
    return from !== null && to !== null && to > from ? [from, to] : firstLook(marks.data)
  }, [asked.from, asked.to, marks.data])
  useStanding({ start: range && iso(range[0]), end: range && iso(range[1]) })

  const shown = useMemo(() => {
    const all = series.data ?? []
    if (chosen.length > 0) return chosen
    if (show === 'all') return all.map((one) => one.id)
    return all
      .filter((one) => one.default !== null)
      .sort((a, b) => (a.default ?? 0) - (b.default ?? 0))
      .map((one) => one.id)
  }, [series.data, chosen, show])
  const choices = useMemo(() => readChoices(setUp), [setUp])
  const clocks = useMemo(
    () => new Map(overview.data?.clocks.map((one) => [one.artifact, one])),
    [overview.data],
  )
  const paths = useMemo(
    () => new Map([...clocks].map(([artifact, one]) => [artifact, one.path])),
    [clocks],
  )
  const lanes = useMemo(
    () =>
      series.data && marks.data
        ? buildLanes({
            ...{ series: series.data, marks: marks.data, strips: strips.data },
            ...{ shown, choices, order, query, by: by || null, paths, beside: others },
          })
        : [],
    [series.data, marks.data, strips.data, shown, choices, order, query, by, paths, others],
  )
  const picked = useMemo(() => {
    const lane = mark ? lanes.find((one) => one.id === active) : undefined
    return (lane && 'items' in lane && lane.items.find((one) => one.key === mark)) || null
  }, [lanes, active, mark])
  const { placed, height } = useMemo(() => stack(lanes), [lanes])
  const metrics = useMemo(
    () => lanes.flatMap((lane) => (lane.kind === 'metric' && !lane.beside ? [lane.id] : [])),
    [lanes],
  )
  const compared = useQuery(windowQuery(id, metrics.slice(0, COMPARED), range))
  const deltas = useMemo(
    () => new Map(compared.data?.lanes.map((one) => [one.id, one])),
    [compared.data],
  )
  const byId = useMemo(() => new Map(series.data?.map((one) => [one.id, one])), [series.data])
  const first = (metrics.length > 0 ? metrics : shown)
    .slice(0, 4)
    .flatMap((one) => byId.get(one) ?? [])
  const most = Math.max(0, ...first.map((one) => one.points))
  const densest = first.find((one) => one.points >= most / 2)
  const strip = useQuery(stripLaneQuery(id, densest?.id, whole, plotWidth))
  const shifts = useMemo(
    () => (aligned && marks.data ? onsetShifts(marks.data.stalls) : new Map<string, number>()),
    [aligned, marks.data],
  )

  useEffect(() => view.setLanes(lanes), [view, lanes])
  useEffect(() => view.choose(picked?.key ?? null), [view, picked])
  useEffect(() => {
    if (range && whole) view.showRange(range, whole)
  }, [view, range, whole])
  useEffect(() => {
    view.setClocks(
      shifts,
      new Map([...clocks].map(([sha, one]) => [sha, one.clock.dispersion_s ?? 0])),
    )
  }, [view, shifts, clocks])
  useEffect(() => {
    view.listen(
      (next) => setRange({ from: iso(next[0]), to: iso(next[1]) }, true),
      (error) => setTileError(error),
    )
  })

  const open = useCallback(
    (item: Item) => {
      const to = item.opens
      if (!to) return
      const go = (screen: string, extra: Readonly<Record<string, string>>) =>
        void navigate({
          pathname: `../${screen}`,
          search: sharedSearch(window.location.search, extra),
        })
      if (to.kind === 'moment') go('waits', { at: to.at })
      else if (to.kind === 'experiment') go('experiments', { experiment: to.id })
      else if (to.kind === 'lines') {
        go('artifacts', { artifact: to.artifact, line: String(to.line) })
      } else setNoting(marks.data?.annotations.find((note) => note.id === to.id) ?? null)
    },
    [navigate, marks.data],
  )
  const pick = (item: Item | null, lane: Lane) => {
    setActive(lane.id)
    setMark(item?.key ?? null)
    if (item?.opens?.kind === 'note') open(item)
  }
  const step = (forward: boolean) => {
    const lane = lanes.find((one) => one.id === active) ?? lanes.find((one) => 'items' in one)
    if (!lane) return
    const shift = view.shiftOf(lane)
    // Without a chosen mark one that lies at the pointer itself is the next.
    const pointer = (view.hover ?? view.range[0]) - shift + (forward ? -1 : 1)
    const from = picked && 'items' in lane ? picked.start : pointer
    if (!('items' in lane)) {
      const by = ((view.range[1] - view.range[0]) / view.width) * (forward ? 4 : -4)
      view.setHover(Math.min(view.range[1], Math.max(view.range[0], from + by + shift)))
      return
    }
    const next = nextItem(lane.items, from, forward)
    if (!next) return
    setActive(lane.id)
    setMark(next.key)
    view.setHover(next.start + shift)
    const at = next.start + shift
    if (at < view.range[0] || at > view.range[1]) {
      const half = (view.range[1] - view.range[0]) / 2
      view.setRange([at - half, at + half])
    }
  }
  const zoom = (factor: number) => (event?: KeyboardEvent) => {
    const around = view.hover ?? (view.range[0] + view.range[1]) / 2
    view.setRange(zoomed(view.range, event?.shiftKey ? factor ** 3 : factor, around, view.whole))
  }
  const pan = (share: number) => (event?: KeyboardEvent) =>
    view.setRange(panned(view.range, event?.shiftKey ? share * 4 : share, view.whole))
  const fit = () => {
    view.forget()
    setRange(null, true)
  }
  const showWhole = () => whole && view.setRange(whole)
  const span = useMemo(() => readSpan(marked), [marked])
  /** What m marks: the chosen stretch, else what is shown. */
  const stretch = (): Interval => {
    const lane = picked && lanes.find((one) => one.id === active)
    if (!lane || picked.end <= picked.start) return [...view.range]
    const shift = view.shiftOf(lane)
    return [picked.start + shift, picked.end + shift]
  }
  const keep = () => setNoting(span ?? stretch())
  const fitChosen = () => {
    const around = span ?? (picked && picked.end > picked.start ? stretch() : null)
    if (!around) return fit()
    const margin = (around[1] - around[0]) * 0.05
    view.setRange([around[0] - margin, around[1] + margin])
  }
  const toHandles = () => {
    const all = HANDLES.flatMap((which) => [
      ...document.querySelectorAll<HTMLElement>(`.tl-handle[data-which="${which}"]:not([hidden])`),
    ])
    all[(all.findIndex((one) => one === document.activeElement) + 1) % all.length]?.focus({
      preventScroll: true,
    })
  }
  const showView = (next: (typeof VIEWS)[number]) => setShape(next, { push: true })
  useViewKeys(VIEWS, VIEW_NAMES, showView)
  useKeys(TIMELINE_KEYS, {
    zoomIn: zoom(0.7),
    zoomOut: zoom(1 / 0.7),
    earlier: pan(-0.15),
    later: pan(0.15),
    whole: showWhole,
    fit: fitChosen,
    mark: () => setMarked(writeSpan(stretch())),
    keep: mayWrite ? keep : undefined,
    clear: marked ? () => setMarked(null) : undefined,
    handles: toHandles,
    next: () => step(true),
    previous: () => step(false),
    note: () => {
      if (mayWrite) setNoting(view.hover ?? view.range[0])
    },
    rangeNote: () => {
      if (mayWrite) setNoting(view.range)
    },
    search: () => search.current?.focus(),
  })

  const arrange = (lane: Lane, to: number) => {
    const ids = lanes.filter((one) => one.kind !== 'group').map((one) => one.id)
    const from = ids.indexOf(lane.id)
    const target = Math.min(ids.length - 1, Math.max(0, to))
    ids.splice(target, 0, ...ids.splice(from, 1))
    // Up to the last one that is out of its place; the rest stand as they would anyway.
    setOrder(ids.slice(0, Math.max(from, target) + 1))
  }
  useEffect(() =>
    acts.set({
      activate: (lane) => {
        setActive(lane.id === active ? null : lane.id)
        setMark(null)
      },
      enter: () => picked && open(picked),
      choose: (lane, change) => changeUrl({ set: writeChoices(changed(choices, lane.id, change)) }),
      move: arrange,
      drop: (dragged, index) => {
        const other = lanes.find((one) => one.id === dragged)
        if (other) arrange(other, index)
      },
      source: ({ artifact }) =>
        void navigate({
          pathname: '../artifacts',
          search: sharedSearch(window.location.search, { artifact }),
        }),
      remove: (lane) =>
        lane.beside
          ? setBeside(besideIds.filter((one) => one !== lane.beside?.incident))
          : setChosen(shown.filter((other) => other !== lane.id)),
    }),
  )

  if (series.isLoadingError || marks.isLoadingError) {
    return (
      <Problem
        error={series.error ?? marks.error}
        what="The timeline could not be read"
        onRetry={() => {
          void series.refetch()
          void marks.refetch()
        }}
      />
    )
  }
  if (series.isPending || marks.isPending) return <SkeletonRows rows={10} />
  if (!range || !whole) {
    return (
      <EmptyState title="Nothing is placed in time yet" action={<SeeArtifacts />}>
        Lanes appear when counters, processlists or status dumps were read and analysed. A file
        without any time needs a zone or an offset: it says so among the artifacts.
      </EmptyState>
    )
  }

  const whatMoved = () => {
    setMoving({ busy: true, error: null, found: null })
    askWhatMoved(id, view.range).then(
      (answer) => {
        setMoving({ busy: false, error: null, found: answer.moved.length })
        if (answer.moved.length > 0) {
          changeUrl({ series: answer.moved.slice(0, 16).map((one) => one.series), order: [] })
        }
      },
      (error: unknown) => setMoving({ busy: false, error, found: null }),
    )
  }
  const { artifacts } = overview.data ?? {}
  const said = summary(marks.data, range, metrics.length, zone)
  const severalOnsets = onsetShifts(marks.data.stalls).size > 1

  return (
    <div className="timeline" ref={frame}>
      <TimelineBar
        range={range}
        zone={zone}
        search={search}
        query={query}
        onQuery={setQuery}
        moving={moving.busy}
        onMoved={whatMoved}
        onWhole={() => void showWhole()}
        onFit={fit}
        by={by || null}
        onBy={(field) => setBy(field ?? '')}
        aligned={severalOnsets ? { on: aligned, toggle: () => setAligned(!aligned) } : null}
        beside={besideIds.length}
        onBeside={() => setAligning(true)}
        onNote={mayWrite ? () => setNoting([...view.range] as Interval) : null}
        exports={{
          name: [incident.data?.title ?? '', 'timeline'],
          svg: () =>
            timelineSvg(view, marks.data.stalls, {
              title: `${incident.data?.title ?? 'Incident'}: timeline`,
              ...{ summary: said, zone },
            }),
          rows: () => timelineRows(view),
        }}
        table={shape === 'table'}
        onTable={() => showView(shape === 'table' ? 'lanes' : 'table')}
        onPick={() => setPicking(true)}
      />
      {artifacts && artifacts.parsing > 0 && (
        <Banner>
          {artifacts.done + artifacts.problems} of {artifacts.total} files are read; lanes come as
          they are analysed.
        </Banner>
      )}
      {moving.found === 0 && (
        <Banner tone="plain">
          No series moved in this window against the one before it. Choose a window that holds the
          change.
        </Banner>
      )}
      {moving.error !== null && (
        <Problem compact error={moving.error} what="What moved could not be told" />
      )}
      {tileError !== null && (
        <Problem compact error={tileError} what="Some lanes could not be read; trying again" />
      )}
      <BesideLine
        others={others}
        failed={failed}
        onDrop={(one) => setBeside(besideIds.filter((id) => id !== one))}
        onClear={() => setBeside(null)}
      />
      <WindowBar
        span={range[1] - range[0]}
        lanes={compared.data?.lanes ?? []}
        series={byId}
        chosen={picked}
        onOpen={open}
        onLane={(lane) => setActive(lane)}
        summary={said}
      />
      {shape === 'table' ? (
        <EventTable
          lanes={lanes}
          range={range}
          compared={compared.data?.lanes ?? []}
          series={byId}
          paths={paths}
          picked={picked?.key ?? null}
          onPick={(item, lane) => {
            setActive(lane.id)
            setMark(item.key)
          }}
          onOpen={open}
        />
      ) : lanes.length === 0 ? (
        <EmptyState
          title="No lane has this name"
          action={<Button onClick={() => setQuery('')}>Show all lanes</Button>}
        >
          “{query}” is in no name, label, host, file or meaning of the {shown.length} lanes shown,
          and in no mark.
        </EmptyState>
      ) : (
        <Plot
          view={view}
          placed={placed}
          height={height}
          width={plotWidth}
          relative={aligned ? 'hosts aligned at their onset' : null}
          onPick={pick}
          onOpen={open}
          onWhole={() => void showWhole()}
          over={
            <>
              <StallBands incidentId={id} view={view} marks={marks.data} mayWrite={mayWrite} />
              {span && (
                <MarkedSpan
                  view={view}
                  span={span}
                  onKeep={mayWrite ? keep : null}
                  onClear={() => setMarked(null)}
                />
              )}
            </>
          }
          head={(lane, index) =>
            lane.kind === 'group' ? (
              <span className="tl-group-name">
                {lane.title} <span className="faint">{lane.sub}</span>
              </span>
            ) : (
              <LaneHead
                incidentId={id}
                view={view}
                lane={lane}
                index={index}
                delta={deltas.get(lane.id)}
                clock={
                  lane.kind === 'metric' && !lane.beside && lane.series.artifact
                    ? clocks.get(lane.series.artifact)
                    : undefined
                }
                active={lane.id === active}
                picked={picked !== null && lane.id === active}
                mayWrite={mayWrite}
                acts={acts}
              />
            )
          }
        />
      )}
      <OverviewStrip
        view={view}
        name={strip.data?.name ?? null}
        points={strip.data?.points ?? null}
        stalls={marks.data.stalls}
        whole={whole}
        width={plotWidth}
      />
      <SeriesPicker
        open={picking}
        onOpenChange={setPicking}
        series={series.data}
        shown={shown}
        onAll={() => {
          changeUrl({ series: [] })
          setShow('all')
        }}
        onChange={(next) => {
          setShow(null)
          setChosen(next.length ? next : null)
        }}
      />
      {aligning && (
        <BesideDialog
          own={id}
          chosen={besideIds}
          onChange={(next) => setBeside(next.length > 0 ? next : null)}
          onClose={() => setAligning(false)}
        />
      )}
      {noting !== null && (
        <AnnotationDialog
          incidentId={id}
          at={noting}
          mayWrite={mayWrite}
          onClose={() => setNoting(null)}
        />
      )}
    </div>
  )
}
