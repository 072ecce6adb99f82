/**
 * Stalls as pale bands behind the lanes, with the handles by which a person corrects onset, end and
 * baseline: dragged, or moved with the arrow keys. What is computed stays and can be brought back.
 */
import { useEffect, useRef } from 'react'
import { iso, parseIso } from '@/charts/time'
import { Problem } from '@/ui/display/States'
import type { Correction, Marks, Stall } from '../model/documents'
import { type Edges, lastSeen, targets, type Which } from '../model/stallEdges'
import { CorrectedBadge } from './CorrectedBadge'
import { StallHandle } from './StallHandle'
import { useStallDraft } from './useStallDraft'
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
      (correction) =>
        correction.host === stall.host &&
        parseIso(correction.computed_onset) === parseIso(computed),
    )
    return (
      <Band
        key={`${stall.host ?? ''}/${computed}`}
        incidentId={incidentId}
        view={view}
        stall={stall}
        computedOnset={computed}
        correction={correction}
        seenUntil={lastSeen(stall)}
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
  /** The last time at which the stall was seen, for an end that was not captured. */
  readonly seenUntil: number
  readonly mayWrite: boolean
  /** Hosts stall together: the handles of each are in a row of their own. Null: there is one host. */
  readonly row: number | null
}

const HANDLES: readonly Which[] = ['baselineStart', 'baselineEnd', 'onset', 'end']

function Band(props: Props) {
  const { incidentId, view, stall, computedOnset, correction, seenUntil, mayWrite, row } = props
  const draft = useStallDraft(incidentId, stall, computedOnset, correction)
  const { now } = draft
  const shift = view.clocks.shifts.get(stall.host ?? '') ?? 0
  const { band, baseline, knobs } = usePlacedBand(view, now, shift, seenUntil)
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
        <CorrectedBadge
          view={view}
          at={now.onset + shift}
          end={now.end === null ? null : now.end + shift}
          by={by}
          was={stall.computed?.onset ?? computedOnset}
          onReset={mayWrite && correction ? draft.reset : null}
        />
      )}
      {mayWrite &&
        HANDLES.map((which) => (
          <StallHandle
            key={which}
            ref={(element) => {
              if (element) knobs.current.set(which, element)
              else knobs.current.delete(which)
            }}
            {...{ view, which, shift, row }}
            host={stall.host}
            at={now[which]}
            onStep={(step) => draft.step(which, step)}
            onDrag={(to) => draft.drag(which, to)}
            onDrop={draft.drop}
          />
        ))}
      {draft.correct.isError && (
        <div className="tl-stall-problem">
          <Problem compact error={draft.correct.error} what="The correction was not saved" />
        </div>
      )}
    </>
  )
}

/** Keeps band, baseline and handles in their places at each frame. */
function usePlacedBand(view: TimelineView, now: Edges, shift: number, seenUntil: number) {
  const band = useRef<HTMLDivElement>(null)
  const baseline = useRef<HTMLDivElement>(null)
  const knobs = useRef(new Map<Which, HTMLElement>())
  const place = useRef<() => void>(() => undefined)
  useEffect(() => {
    place.current = () => {
      const end = view.x((now.end ?? seenUntil) + shift)
      put(band.current, view.x(now.onset + shift), end, view.width)
      const [from, to] = [now.baselineStart, now.baselineEnd]
      if (from !== null && to !== null) {
        put(baseline.current, view.x(from + shift), view.x(to + shift), view.width)
      } else if (baseline.current) baseline.current.hidden = true
      placeHandles(view, now, shift, knobs.current)
    }
    place.current()
  })
  useEffect(() => view.onFrame(() => place.current()), [view])
  return { band, baseline, knobs }
}

function placeHandles(
  view: TimelineView,
  now: Edges,
  shift: number,
  knobs: ReadonlyMap<Which, HTMLElement>,
): void {
  const shown = HANDLES.flatMap((which): [Which, number][] => {
    const at = now[which]
    const px = at === null ? NaN : view.x(at + shift)
    return px >= -4 && px <= view.width + 4 ? [[which, px]] : []
  })
  const centres = targets(shown, view.width)
  const edge = new Map(shown)
  for (const [which, knob] of knobs) {
    const centre = centres.get(which)
    knob.hidden = centre === undefined
    if (centre === undefined) continue
    knob.style.transform = `translateX(${centre}px)`
    knob.style.setProperty('--off', `${(edge.get(which) ?? centre) - centre}px`)
  }
}

function put(element: HTMLElement | null, from: number, to: number, width: number) {
  if (!element) return
  const left = Math.max(-2, from)
  const right = Math.min(width + 2, to)
  element.hidden = right <= left
  element.style.transform = `translateX(${left}px)`
  element.style.width = `${Math.max(0, right - left)}px`
}
