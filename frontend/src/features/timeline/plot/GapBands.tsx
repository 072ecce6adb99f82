/** The time in which no server was observed, hatched behind the lanes and named where there is room. */
import { useEffect, useRef } from 'react'
import { formatDuration } from '@/format'
import type { Gaps } from '../model/captured'
import type { TimelineView } from './view'

const LABEL_PX = 90

export function GapBands({ view, gaps }: { readonly view: TimelineView; readonly gaps: Gaps }) {
  return gaps.map(([from, to]) => <Gap key={from} {...{ view, from, to }} />)
}

type Props = { readonly view: TimelineView; readonly from: number; readonly to: number }

function Gap({ view, from, to }: Props) {
  const band = useRef<HTMLDivElement>(null)
  useEffect(
    () =>
      view.onFrame(() => {
        const element = band.current
        if (!element) return
        const left = Math.max(0, view.x(from))
        const width = Math.min(view.width, view.x(to)) - left
        element.hidden = width <= 0
        element.style.transform = `translateX(${left}px)`
        element.style.width = `${Math.max(1, width)}px`
        element.classList.toggle('tl-gap-named', width >= LABEL_PX)
      }),
    [view, from, to],
  )
  return (
    <div ref={band} className="tl-gap" data-testid="capture-gap">
      <span>not captured, {formatDuration((to - from) / 1000)}</span>
    </div>
  )
}
