/** The model of the timeline, from queries to lanes to the range; nothing here draws. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { incidentQuery, overviewQuery } from '@/api/queries'
import type { Interval } from '@/charts/range'
import { iso, parseIso } from '@/charts/time'
import { useRange } from '@/state/incident'
import { text, useResolvedDefaults, useUrlState } from '@/state/url'
import type { Marks, Series } from './documents'
import { marksQuery, seriesQuery, stripsQuery } from './firstQueries'
import { buildLanes } from './lanes'
import { stack } from './laneStack'
import type { Lane } from './laneTypes'
import { Captured } from './captured'
import { firstLook, focusOf, onsetShifts, recordedRange, wholeRange } from './marks'
import { stripLaneQuery, windowQuery } from './queries'
import { readSpan } from './span'
import { type LaneSettings, useLaneSettings } from './useLaneSettings'
import { useOtherIncidents } from './useOtherIncidents'

/** Lanes that are compared with the window before; the server accepts no more. */
const MAX_COMPARED = 40

export function useTimeline(id: string, plotWidth: number) {
  const settings = useLaneSettings()
  const { choices, order, query, groupBy, times } = settings
  const incident = useQuery(incidentQuery(id))
  const overview = useQuery(overviewQuery(id))
  const series = useQuery(seriesQuery(id))
  const marks = useQuery(marksQuery(id))
  const strips = useQuery(stripsQuery(id))
  const { others, failed } = useOtherIncidents(settings.otherIds, marks.data)
  const recorded = useMemo(() => recordedRange(marks.data, strips.data), [marks.data, strips.data])
  const { whole, range, setRange } = useTimelineRange(
    marks.data,
    times === 'recorded' ? recorded : null,
  )
  const shown = useMemo(
    () => shownSeries(series.data ?? [], settings.chosen, settings.show),
    [series.data, settings.chosen, settings.show],
  )
  const clocks = useMemo(
    () => new Map(overview.data?.clocks.map((clock) => [clock.artifact, clock])),
    [overview.data],
  )
  const paths = useMemo(
    () => new Map([...clocks].map(([artifact, clock]) => [artifact, clock.path])),
    [clocks],
  )
  const lanes = useMemo(
    () =>
      series.data && marks.data
        ? buildLanes({
            ...{ series: series.data, marks: marks.data, strips: strips.data, shown, choices },
            ...{ order, query, times, by: groupBy || null, paths, otherIncidents: others },
          })
        : [],
    [
      series.data,
      marks.data,
      strips.data,
      shown,
      choices,
      order,
      query,
      times,
      groupBy,
      paths,
      others,
    ],
  )
  const { placed, height } = useMemo(() => stack(lanes), [lanes])
  const metrics = useMemo(
    () => lanes.flatMap((lane) => (lane.kind === 'metric' && !lane.otherIncident ? [lane.id] : [])),
    [lanes],
  )
  const compared = useQuery(windowQuery(id, metrics.slice(0, MAX_COMPARED), range))
  const seriesById = useMemo(
    () => new Map(series.data?.map((entry) => [entry.id, entry])),
    [series.data],
  )
  const overviewSeries = pickOverviewSeries(metrics.length > 0 ? metrics : shown, seriesById)
  const strip = useQuery(stripLaneQuery(id, overviewSeries?.id, whole, plotWidth))
  const shifts = useMemo(
    () =>
      settings.aligned && marks.data ? onsetShifts(marks.data.stalls) : new Map<string, number>(),
    [settings.aligned, marks.data],
  )
  const captured = useMemo(() => new Captured(marks.data?.captures), [marks.data])
  const deltas = useMemo(() => {
    const isCaptured = range !== null && captured.holds([2 * range[0] - range[1], range[0]])
    const lanes = compared.data?.lanes ?? []
    return new Map(lanes.map((lane) => [lane.id, isCaptured ? lane : { ...lane, before: null }]))
  }, [compared.data, captured, range])
  const focus = useMemo(() => focusOf(marks.data?.stalls ?? []), [marks.data])
  const selection = useSelection(lanes)
  const markedSpan = useMarkedSpan()
  return {
    ...{ id, settings, incident, overview, series, marks, others, failed, whole, range, setRange },
    ...{ shown, clocks, paths, lanes, placed, height, metrics, compared, deltas, seriesById },
    ...{ recorded, strip, shifts, selection, markedSpan, captured, focus },
  }
}

export type TimelineModel = ReturnType<typeof useTimeline>
export type LaneSelection = ReturnType<typeof useSelection>

/** What a loaded timeline certainly has. */
export type LoadedData = {
  readonly series: readonly Series[]
  readonly marks: Marks
  readonly range: Interval
  readonly whole: Interval
}

/** The range in the address, else a first look at the stalls; and the whole capture, or more. */
function useTimelineRange(marks: Marks | undefined, recorded: Interval | null) {
  const [{ from, to }, setRange] = useRange()
  const whole = useMemo(() => recorded ?? wholeRange(marks), [marks, recorded])
  const range = useMemo<Interval | null>(() => {
    const [start, end] = [parseIso(from), parseIso(to)]
    return start !== null && end !== null && end > start ? [start, end] : firstLook(marks)
  }, [from, to, marks])
  useResolvedDefaults({ start: range && iso(range[0]), end: range && iso(range[1]) })
  return { whole, range, setRange }
}

/** The active lane and the selected mark on it, both kept in the address. */
function useSelection(lanes: readonly Lane[]) {
  const [active, setActive] = useUrlState('lane', text, '')
  const [mark, setMark] = useUrlState('mark', text, '')
  const item = useMemo(() => {
    const lane = mark ? lanes.find((candidate) => candidate.id === active) : undefined
    return (lane && 'items' in lane && lane.items.find((entry) => entry.key === mark)) || null
  }, [lanes, active, mark])
  return { active, setActive, setMark, item }
}

function useMarkedSpan() {
  const [written, setWritten] = useUrlState('span', text, '')
  const span = useMemo(() => readSpan(written), [written])
  return { written, setWritten, span }
}

/** Ids of the series to show: the chosen ones, all, or the proposed ones in their order. */
function shownSeries(
  all: readonly Series[],
  chosen: readonly string[],
  show: LaneSettings['show'],
): readonly string[] {
  if (chosen.length > 0) return chosen
  if (show === 'all') return all.map((entry) => entry.id)
  return all
    .filter((entry) => entry.default !== null)
    .sort((a, b) => (a.default ?? 0) - (b.default ?? 0))
    .map((entry) => entry.id)
}

/** The first of the first four series that has at least half as many points as the densest. */
function pickOverviewSeries(
  ids: readonly string[],
  byId: ReadonlyMap<string, Series>,
): Series | undefined {
  const first = ids.slice(0, 4).flatMap((id) => byId.get(id) ?? [])
  const most = Math.max(0, ...first.map((entry) => entry.points))
  return first.find((entry) => entry.points >= most / 2)
}
