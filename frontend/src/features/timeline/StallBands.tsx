/**
 * Stalls as pale bands behind the lanes, with the handles by which a person corrects onset, end and
 * baseline: dragged, or moved with the arrow keys. What is computed stays and can be brought back.
 */
import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react'
import { iso, parseIso } from '@/charts/time'
import { formatDuration } from '@/format'
import { useZone } from '@/state/incident'
import { Button } from '@/ui/Button'
import { Problem } from '@/ui/States'
import { edges, type Edges, moved, NAMES, type Which } from './edges'
import { type Correction, type Marks, type Stall, useCorrectStall, useResetStall } from './queries'
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
  return marks.stalls
    .filter((stall) => stall.kind === 'stall')
    .map((stall) => {
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
}

const HANDLES: readonly Which[] = ['baselineStart', 'baselineEnd', 'onset', 'end']
const SAVE_MS = 700

function Band(props: Props) {
  const { incidentId, view, stall, computedOnset, correction, capture, mayWrite } = props
  const zone = useZone()
  const correct = useCorrectStall(incidentId)
  const reset = useResetStall(incidentId)
  const band = useRef<HTMLDivElement>(null)
  const baseline = useRef<HTMLDivElement>(null)
  const knobs = useRef(new Map<Which, HTMLElement>())
  const [draft, setDraft] = useState<Edges | null>(null)
  const saveTimer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const stored = edges(stall, correction)
  const now = draft ?? stored
  const shift = view.shifts.get(stall.host ?? '') ?? 0

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
      for (const [which, knob] of knobs.current) {
        const at = now[which]
        const px = at === null ? -1 : view.x(at + shift)
        knob.hidden = at === null || px < -4 || px > view.width + 4
        knob.style.transform = `translateX(${px}px)`
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
      { onSettled: () => setDraft(null) },
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
    if (plot) setDraft(moved(now, which, view.time(event.clientX - plot.left) - shift))
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
  by,
  was,
  onReset,
}: {
  readonly view: TimelineView
  readonly at: number
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
        element.hidden = px < -200 || px > view.width
        element.style.transform = `translateX(${Math.max(0, px + 6)}px)`
      }),
    [view, at],
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
