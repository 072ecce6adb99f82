/** One edge of a stall as a slider: dragged (d3-drag), or moved with the arrow keys. */
import { drag, type D3DragEvent } from 'd3-drag'
import { select } from 'd3-selection'
import { type KeyboardEvent, type Ref, useEffect, useImperativeHandle, useRef } from 'react'
import { useLatest } from '@/state/latest'
import { useZone } from '@/state/incident'
import { NAMES, TARGET, type Which } from '../model/stallEdges'
import type { TimelineView } from './view'

type Props = {
  readonly ref: Ref<HTMLDivElement>
  readonly view: TimelineView
  readonly which: Which
  readonly host: string | null
  readonly at: number | null
  /** Added to `at` for its place on the plot, ms. */
  readonly shift: number
  readonly row: number | null
  readonly onStep: (by: number) => void
  readonly onDrag: (to: number) => void
  readonly onDrop: () => void
}

export function StallHandle(props: Props) {
  const { ref, view, which, host, at, row, onStep } = props
  const zone = useZone()
  const knob = useRef<HTMLDivElement>(null)
  useImperativeHandle(ref, () => knob.current as HTMLDivElement)
  useDrag(knob, props)
  const onKey = (event: KeyboardEvent) => {
    const direction = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (direction === undefined) return
    event.preventDefault()
    event.stopPropagation()
    onStep(direction * (event.shiftKey ? 10_000 : 1000))
  }
  return (
    <div
      ref={knob}
      role="slider"
      tabIndex={0}
      className={`tl-handle tl-handle-${which === 'onset' || which === 'end' ? 'stall' : 'baseline'}`}
      style={row === null ? undefined : { top: row * TARGET, height: TARGET }}
      data-testid={`handle-${which}`}
      data-which={which}
      aria-label={`${NAMES[which]}${host ? ` of ${host}` : ''}`}
      aria-valuemin={Math.round(view.whole[0])}
      aria-valuemax={Math.round(view.whole[1])}
      aria-valuenow={Math.round(at ?? 0)}
      aria-valuetext={`${zone.format(at)} ${zone.label}`}
      title={`${NAMES[which]} ${zone.format(at)}: drag, or arrow keys, to correct it`}
      onKeyDown={onKey}
    />
  )
}

/** Binds d3-drag once; it reports what the last render would. The place is that of the edge. */
function useDrag(knob: React.RefObject<HTMLDivElement | null>, props: Props): void {
  const latest = useLatest(props)
  useEffect(() => {
    if (!knob.current) return
    const behaviour = drag<HTMLDivElement, unknown>()
      .subject((event: { readonly y: number }) => {
        const { view, at, shift } = latest.current
        return { x: view.x((at ?? 0) + shift), y: event.y }
      })
      .on('drag', ({ x }: D3DragEvent<HTMLDivElement, unknown, unknown>) => {
        const { view, shift, onDrag } = latest.current
        onDrag(view.time(x) - shift)
      })
      .on('end', () => latest.current.onDrop())
    const selection = select<HTMLDivElement, unknown>(knob.current).call(behaviour)
    return () => {
      selection.on('.drag', null)
    }
  }, [knob, latest])
}
