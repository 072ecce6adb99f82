/** The timeline: stacked lanes on one clock, the stall shaded, snapshots and events as marks. */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { useMay } from '@/api/queries'
import { TimeAxis } from '@/charts/TimeAxis'
import { iso, panned, parseIso, timeScale, zoomed, type Interval } from '@/charts/time'
import { useWidth } from '@/charts/useWidth'
import { setHover } from '@/state/hover'
import { useIncidentId, useRange, useZone } from '@/state/incident'
import { list, oneOf, sharedSearch, useUrlState } from '@/state/url'
import { Button } from '@/ui/Button'
import { EmptyState, Problem, SkeletonRows } from '@/ui/States'
import { AnnotationDialog } from './AnnotationDialog'
import { Crosshair } from './Crosshair'
import { EventTable } from './EventTable'
import { LaneRow } from './LaneRow'
import { LEFT, RIGHT } from './layout'
import { MarksRows } from './MarksRows'
import { firstLook, layoutStalls, wholeRange } from './marks'
import { OverviewStrip } from './OverviewStrip'
import { lanesQuery, marksQuery, seriesQuery } from './queries'
import { SeriesPicker } from './SeriesPicker'
import { usePlotGestures } from './usePlotGestures'
import './timeline.css'

const VIEW = oneOf(['lanes', 'table'] as const)

export default function TimelineScreen() {
  const id = useIncidentId()
  const zone = useZone()
  const navigate = useNavigate()
  const [asked, setRange] = useRange()
  const [chosen, setChosen] = useUrlState<readonly string[]>('series', list, [])
  const [view, setView] = useUrlState('view', VIEW, 'lanes')
  const [picking, setPicking] = useState(false)
  const [noting, setNoting] = useState<Interval | number | null>(null)
  const mayWrite = useMay('contributor')
  const [frame, width] = useWidth<HTMLDivElement>(1200)
  const plotWidth = Math.max(100, width - LEFT - RIGHT)

  const series = useQuery(seriesQuery(id))
  const marks = useQuery(marksQuery(id))
  const whole = useMemo(() => wholeRange(marks.data), [marks.data])
  const range = useMemo<Interval | null>(() => {
    const from = parseIso(asked.from)
    const to = parseIso(asked.to)
    return from !== null && to !== null && to > from ? [from, to] : firstLook(marks.data)
  }, [asked.from, asked.to, marks.data])

  const proposed = useMemo(
    () =>
      (series.data ?? [])
        .filter((s) => s.default !== null)
        .sort((a, b) => (a.default ?? 0) - (b.default ?? 0))
        .map((s) => s.id),
    [series.data],
  )
  const shown = chosen.length > 0 ? chosen : proposed
  const lanes = useQuery(lanesQuery(id, shown, range, plotWidth))
  const strip = useQuery(lanesQuery(id, shown.slice(0, 1), whole, plotWidth))

  const change = (next: Interval) => setRange({ from: iso(next[0]), to: iso(next[1]) }, true)
  const plot = useRef<HTMLDivElement>(null)
  const brushed = usePlotGestures(plot, { range, whole, left: LEFT, width: plotWidth, change })
  const lastHover = useRef<number | null>(null)
  useTimelineKeys({
    range,
    whole,
    change,
    reset: () => setRange(null, true),
    note: (wide) => {
      if (mayWrite && range) setNoting(wide ? range : (lastHover.current ?? range[0]))
    },
  })

  if (series.isError || marks.isError) {
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
  if (!range || !whole || series.data.length === 0) {
    return (
      <EmptyState
        title="No series is placed in time yet"
        action={
          <Button variant="primary" onClick={() => void navigate('../artifacts')}>
            See the artifacts
          </Button>
        }
      >
        Lanes appear when counters, processlists or status dumps were read and analysed. A file
        without any time needs a zone or an offset: it says so among the artifacts.
      </EmptyState>
    )
  }

  const x = timeScale(range, plotWidth)
  const stalls = layoutStalls(marks.data.stalls, x, plotWidth)
  const byId = new Map(lanes.data?.lanes.map((lane) => [lane.id, lane]))
  const open = (at: string) =>
    void navigate({ pathname: '../waits', search: sharedSearch(window.location.search, { at }) })

  return (
    <div className="timeline" ref={frame}>
      <div className="timeline-bar">
        <div className="timeline-range mono" data-testid="timeline-range">
          {zone.format(range[0])} – {zone.format(range[1], 'clock')}{' '}
          <span className="unit">{zone.label}</span>
        </div>
        <span className="grow" />
        <Button
          size="small"
          onClick={() => change(zoomed(range, 0.5, (range[0] + range[1]) / 2, whole))}
          title="Zoom in (w)"
        >
          Zoom in
        </Button>
        <Button
          size="small"
          onClick={() => change(zoomed(range, 2, (range[0] + range[1]) / 2, whole))}
          title="Zoom out (s)"
        >
          Zoom out
        </Button>
        <Button size="small" onClick={() => change(whole)} title="Everything captured (0)">
          Whole capture
        </Button>
        <Button
          size="small"
          onClick={() => setRange(null, true)}
          title="The stall with some time around it (f)"
        >
          Fit the stall
        </Button>
        {mayWrite && (
          <Button size="small" onClick={() => setNoting(range)} title="Note on this range (N)">
            Note
          </Button>
        )}
        <Button
          size="small"
          pressed={view === 'table'}
          onClick={() => setView(view === 'table' ? 'lanes' : 'table')}
        >
          Table
        </Button>
        <Button size="small" variant="primary" onClick={() => setPicking(true)}>
          Choose lanes
        </Button>
      </div>

      {view === 'table' ? (
        <EventTable marks={marks.data} onOpen={open} />
      ) : (
        <div className="timeline-scroll scroll">
          <div
            className="timeline-plot"
            ref={plot}
            onPointerMove={(event) => {
              const at = x.invert(
                event.clientX - event.currentTarget.getBoundingClientRect().left - LEFT,
              )
              lastHover.current = at.getTime()
              setHover({ at: at.getTime() })
            }}
            onPointerLeave={() => setHover({ at: null })}
          >
            <div className="timeline-axis" style={{ paddingLeft: LEFT }}>
              <TimeAxis range={range} width={plotWidth} zone={zone.name} />
            </div>
            <div
              className="timeline-stalls"
              style={{ left: LEFT, width: plotWidth }}
              aria-hidden="true"
            >
              {stalls.map((band) => (
                <div
                  key={band.stall.onset}
                  className="timeline-stall"
                  style={{ left: band.x, width: band.width }}
                  data-testid="stall-band"
                />
              ))}
              {brushed && (
                <div
                  className="timeline-brush"
                  style={{ left: brushed[0], width: brushed[1] - brushed[0] }}
                />
              )}
            </div>
            <MarksRows
              marks={marks.data}
              x={x}
              width={plotWidth}
              onOpen={open}
              incidentId={id}
              mayWrite={mayWrite}
            />
            {shown.map((seriesId) => (
              <LaneRow
                key={seriesId}
                incidentId={id}
                seriesId={seriesId}
                series={series.data.find((s) => s.id === seriesId)}
                lane={byId.get(seriesId)}
                pending={lanes.isFetching}
                range={range}
                x={x}
                width={plotWidth}
                onRemove={() => setChosen(shown.filter((other) => other !== seriesId))}
              />
            ))}
            {lanes.isError && (
              <Problem
                compact
                error={lanes.error}
                what="The lanes could not be drawn"
                onRetry={() => void lanes.refetch()}
              />
            )}
            <Crosshair x={x} left={LEFT} width={plotWidth} />
          </div>
        </div>
      )}

      <OverviewStrip
        lane={strip.data?.lanes[0]}
        stalls={marks.data.stalls}
        whole={whole}
        range={range}
        width={plotWidth}
        onChange={change}
      />
      <SeriesPicker
        open={picking}
        onOpenChange={setPicking}
        series={series.data}
        shown={shown}
        onChange={(next) => setChosen(next.length ? next : null)}
      />
      {noting !== null && (
        <AnnotationDialog incidentId={id} at={noting} onClose={() => setNoting(null)} />
      )}
    </div>
  )
}

type Keys = {
  range: Interval | null
  whole: Interval | null
  change: (next: Interval) => void
  reset: () => void
  note: (wide: boolean) => void
}

/** W/S zoom, A/D pan, 0 everything, F the stall, N note; off while typing. */
function useTimelineKeys(keys: Keys) {
  const latest = useRef(keys)
  useEffect(() => {
    latest.current = keys
  })
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { range, whole, change, reset, note } = latest.current
      const typing =
        event.target instanceof HTMLElement &&
        event.target.closest('input, textarea, select, [contenteditable], .dialog')
      if (typing || !range || !whole || event.ctrlKey || event.metaKey || event.altKey) return
      const middle = (range[0] + range[1]) / 2
      const step = event.shiftKey ? 0.5 : 0.15
      const key = event.key.toLowerCase()
      if (key === 'w') change(zoomed(range, 0.7, middle, whole))
      else if (key === 's') change(zoomed(range, 1 / 0.7, middle, whole))
      else if (key === 'a') change(panned(range, -step, whole))
      else if (key === 'd') change(panned(range, step, whole))
      else if (key === '0') change(whole)
      else if (key === 'f') reset()
      else if (key === 'n') note(event.shiftKey)
      else return
      event.preventDefault()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
}
