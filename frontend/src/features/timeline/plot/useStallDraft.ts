/** The edges of a stall while a person moves them, and their saving. */
import { useRef, useState } from 'react'
import { iso } from '@/charts/time'
import type { Correction, Stall } from '../model/documents'
import { useStallCorrection } from '../model/queries'
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
  return {
    now,
    correct,
    reset,
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
