/**
 * Stalls as pale bands behind the lanes, with the handles by which a person corrects onset, end and
 * baseline: dragged, or moved with the arrow keys. What is computed stays and can be brought back.
 */
import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react'
import { iso, parseIso } from '@/charts/time'
import { formatDuration } from '@/format'
import { useZone } from '@/state/incident'
import { Button } from '@/ui/controls/Button'
import { Problem } from '@/ui/display/States'
import { edges, type Edges, moved, NAMES, TARGET, targets, type Which } from '../model/stallEdges'
import type { Correction, Marks, Stall } from '../model/documents'
import { useStallCorrection } from '../model/queries'
import type { TimelineView } from './view'

export function StallBands({
  incidentId,
  view,
  marks,
  mayWrite,
}: {
  readonly incidentId: string
  readonly view: TimelineView
  readonly marks: Marks
  readonly mayWrite: boolean
}) {
  const stalls = marks.stalls.filter((stall) => stall.kind === 'stall')
  const hosts = [...new Set(stalls.map((stall) => stall.host))]
  return stalls.map((stall) => {
    const computed = stall.computed?.onset ?? stall.onset
    const correction = marks.corrections.find(
      (one) => one.host === stall.host && parseIso(one.computed_onset) === parseIso(computed),
    )
    return (
      <Band
        key={`${stall.host ?? ''}/${computed}`}
        incidentId={incidentId}
        view={view}
        stall={stall}
        computedOnset={computed}
        correction={correction}
        capture={parseIso(marks.range?.end)}
        mayWrite={mayWrite}
        row={hosts.length > 1 ? hosts.indexOf(stall.host) : null}
      />
    )
  })
}

type Props = {
  readonly incidentId: string
  readonly view: TimelineView
  readonly stall: Stall
  readonly computedOnset: string
  readonly correction: Correction | undefined
  readonly capture: number | null
  readonly mayWrite: boolean
  /** Hosts stall together: the handles of each stand in a row of their own. Null: there is one host. */
  readonly row: number | null
}

const HANDLES: readonly Which[] = ['baselineStart', 'baselineEnd', 'onset', 'end']
const SAVE_MS = 700
/** About the width of "Corrected by ..." with its button, CSS pixels. */
const BADGE = 420

function Band(props: Props) {
  const { incidentId, view, stall, computedOnset, correction, capture, mayWrite, row } = props
  const zone = useZone()
  const { correct, reset } = useStallCorrection(incidentId)
  const band = useRef<HTMLDivElement>(null)
  const baseline = useRef<HTMLDivElement>(null)
  const knobs = useRef(new Map<Which, HTMLElement>())
  /** From the edge to where it was grabbed, CSS pixels. */
  const grabbed = useRef(0)
  const [draft, setDraft] = useState<Edges | null>(null)
  const saveTimer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const stored = edges(stall, correction)
  const now = draft ?? stored
  const shift = view.clocks.shifts.get(stall.host ?? '') ?? 0

  const place = useRef<() => void>(() => undefined)
  useEffect(() => {
    place.current = () => {
      const onset = view.x(now.onset + shift)
      const end = view.x((now.end ?? capture ?? now.onset) + shift)
      put(band.current, onset, end, view.width)
      const [from, to] = [now.baselineStart, now.baselineEnd]
      if (from !== null && to !== null) {
        put(baseline.current, view.x(from + shift), view.x(to + shift), view.width)
      } else if (baseline.current) baseline.current.hidden = true
      const shown = HANDLES.flatMap((which): [Which, number][] => {
        const at = now[which]
        const px = at === null ? NaN : view.x(at + shift)
        return px >= -4 && px <= view.width + 4 ? [[which, px]] : []
      })
      const centres = targets(shown, view.width)
      const edge = new Map(shown)
      for (const [which, knob] of knobs.current) {
        const centre = centres.get(which)
        knob.hidden = centre === undefined
        if (centre === undefined) continue
        knob.style.transform = `translateX(${centre}px)`
        knob.style.setProperty('--off', `${(edge.get(which) ?? centre) - centre}px`)
      }
    }
    place.current()
  })
  useEffect(() => view.onFrame(() => place.current()), [view])

  const save = (next: Edges) => {
    correct.mutate(
      {
        host: stall.host,
        computedOnset,
        revision: correction?.revision ?? 0,
        times: {
          onset: iso(next.onset),
          end: next.end === null ? null : iso(next.end),
          baseline_start: next.baselineStart === null ? null : iso(next.baselineStart),
          baseline_end: next.baselineEnd === null ? null : iso(next.baselineEnd),
        },
      },
      { onSettled: () => setDraft((latest) => (latest === next ? null : latest)) },
    )
  }
  const step = (which: Which, by: number) => {
    const next = moved(now, which, (now[which] ?? 0) + by)
    setDraft(next)
    clearTimeout(saveTimer.current)
    saveTimer.current = setTimeout(() => save(next), SAVE_MS)
  }
  const onKey = (which: Which) => (event: KeyboardEvent) => {
    const direction = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (direction === undefined) return
    event.preventDefault()
    event.stopPropagation()
    step(which, direction * (event.shiftKey ? 10_000 : 1000))
  }
  const onDrag = (which: Which) => (event: PointerEvent<HTMLElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return
    event.stopPropagation()
    const plot = event.currentTarget.parentElement?.getBoundingClientRect()
    if (!plot) return
    const px = event.clientX - plot.left - grabbed.current
    setDraft(moved(now, which, view.time(px) - shift))
  }
  const by = correction?.by ?? stall.corrected_by
  return (
    <>
      <div ref={baseline} className="tl-baseline" />
      <div
        ref={band}
        className={`tl-stall${by ? ' tl-corrected' : ''}`}
        data-testid="stall-band"
        data-onset={iso(now.onset)}
      />
      {by && (
        <Corrected
          view={view}
          at={now.onset + shift}
          end={now.end === null ? null : now.end + shift}
          by={by}
          was={stall.computed?.onset ?? computedOnset}
          onReset={mayWrite && correction ? () => reset.mutate(correction.id) : null}
        />
      )}
      {mayWrite &&
        HANDLES.map((which) => (
          <div
            key={which}
            ref={(element) => {
              if (element) knobs.current.set(which, element)
              else knobs.current.delete(which)
            }}
            role="slider"
            tabIndex={0}
            className={`tl-handle tl-handle-${which === 'onset' || which === 'end' ? 'stall' : 'baseline'}`}
            style={row === null ? undefined : { top: row * TARGET, height: TARGET }}
            data-testid={`handle-${which}`}
            data-which={which}
            aria-label={`${NAMES[which]}${stall.host ? ` of ${stall.host}` : ''}`}
            aria-valuemin={Math.round(view.whole[0])}
            aria-valuemax={Math.round(view.whole[1])}
            aria-valuenow={Math.round(now[which] ?? 0)}
            aria-valuetext={`${zone.format(now[which])} ${zone.label}`}
            title={`${NAMES[which]} ${zone.format(now[which])}: drag, or arrow keys, to correct it`}
            onKeyDown={onKey(which)}
            onPointerDown={(event) => {
              event.stopPropagation()
              event.currentTarget.setPointerCapture(event.pointerId)
              const plot = event.currentTarget.parentElement?.getBoundingClientRect()
              const edge = view.x((now[which] ?? 0) + shift)
              grabbed.current = event.clientX - (plot?.left ?? 0) - edge
            }}
            onPointerMove={onDrag(which)}
            onPointerUp={(event) => {
              event.stopPropagation()
              event.currentTarget.releasePointerCapture(event.pointerId)
              if (draft) save(draft)
            }}
          />
        ))}
      {correct.isError && (
        <div className="tl-stall-problem">
          <Problem compact error={correct.error} what="The correction was not saved" />
        </div>
      )}
    </>
  )
}

function Corrected({
  view,
  at,
  end,
  by,
  was,
  onReset,
}: {
  readonly view: TimelineView
  readonly at: number
  readonly end: number | null
  readonly by: string
  readonly was: string
  readonly onReset: (() => void) | null
}) {
  const zone = useZone()
  const badge = useRef<HTMLDivElement>(null)
  useEffect(
    () =>
      view.onFrame(() => {
        const element = badge.current
        if (!element) return
        const px = view.x(at)
        const right = end === null ? Infinity : view.x(end)
        element.hidden = px < -200 || px > view.width
        // Inside the stall, or behind the handle of its end where it would lie over that one.
        const left = right - px < BADGE ? right + TARGET + 2 : px + 8
        element.style.transform = `translateX(${Math.max(0, left)}px)`
      }),
    [view, at, end],
  )
  const off = (at - (parseIso(was) ?? at)) / 1000
  return (
    <div ref={badge} className="tl-corrected-badge">
      <span title={`Computed: ${zone.format(was)}`}>
        Corrected by {by}
        {off !== 0 && (
          <span className="faint">
            {' '}
            (onset {off > 0 ? '+' : '\u2212'}
            {formatDuration(Math.abs(off))})
          </span>
        )}
      </span>
      {onReset && (
        <Button size="small" variant="ghost" onClick={onReset}>
          Reset to computed
        </Button>
      )}
    </div>
  )
}

function put(element: HTMLElement | null, from: number, to: number, width: number) {
  if (!element) return
  const left = Math.max(-2, from)
  const right = Math.min(width + 2, to)
  element.hidden = right <= left
  element.style.transform = `translateX(${left}px)`
  element.style.width = `${Math.max(0, right - left)}px`
}
