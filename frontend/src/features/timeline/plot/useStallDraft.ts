/** The edges of a stall while a person moves them, and their saving. */
import { useRef, useState } from 'react'
import { iso } from '@/charts/time'
import { offerUndo } from '@/ui/history/undo'
import type { Correction, Stall } from '../model/documents'
import { type StallTimes, useStallCorrection } from '../model/queries'
import { edges, type Edges, moved, type Which } from '../model/stallEdges'

/** Steps of the arrow keys are saved once they pause this long. */
const SAVE_MS = 700

export function useStallDraft(
  incidentId: string,
  stall: Stall,
  computedOnset: string,
  correction: Correction | undefined,
) {
  const { correct, reset } = useStallCorrection(incidentId)
  const [draft, setDraft] = useState<Edges | null>(null)
  /** The draft of the last event, which a render may not have shown yet. */
  const dragged = useRef<Edges | null>(null)
  const saveTimer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const now = draft ?? edges(stall, correction)
  const changeTo = (times: StallTimes, revision: number) => ({
    ...{ host: stall.host, computedOnset, revision, times },
  })
  const save = (next: Edges) => {
    const before = correction
    correct.mutate(changeTo(timesOf(next), before?.revision ?? 0), {
      onSuccess: ({ id, revision }) =>
        offerUndo('Corrected the times of the stall', () =>
          before
            ? correct.mutateAsync(changeTo(correctedTimes(before), revision))
            : reset.mutateAsync(id),
        ),
      onSettled: () => setDraft((latest) => (latest === next ? null : latest)),
    })
  }
  return {
    now,
    correct,
    /** Back to the computed times. */
    reset: () => {
      if (!correction) return
      const before = correctedTimes(correction)
      reset.mutate(correction.id, {
        onSuccess: () =>
          offerUndo('The stall has its computed times again', () =>
            correct.mutateAsync(changeTo(before, 0)),
          ),
      })
    },
    /** Move one edge to an instant; it is saved by `drop`. */
    drag: (which: Which, to: number) => {
      dragged.current = moved(dragged.current ?? now, which, to)
      setDraft(dragged.current)
    },
    drop: () => {
      if (dragged.current) save(dragged.current)
      dragged.current = null
    },
    /** Move one edge by ms and save it soon. */
    step: (which: Which, by: number) => {
      const next = moved(now, which, (now[which] ?? 0) + by)
      setDraft(next)
      clearTimeout(saveTimer.current)
      saveTimer.current = setTimeout(() => save(next), SAVE_MS)
    },
  }
}

const timesOf = ({ onset, end, baselineStart, baselineEnd }: Edges): StallTimes => ({
  onset: iso(onset),
  end: end === null ? null : iso(end),
  baseline_start: baselineStart === null ? null : iso(baselineStart),
  baseline_end: baselineEnd === null ? null : iso(baselineEnd),
})

const correctedTimes = ({ onset, end, baseline_start, baseline_end }: Correction): StallTimes => ({
  ...{ onset, end, baseline_start, baseline_end },
})
