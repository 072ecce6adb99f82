/**
 * One tooltip for a picture of many marks: at the mark that the pointer is over or that has the keyboard.
 * What it says is also in the name of the mark, so that it is for the eyes only. Escape hides it and
 * goes on to whatever else it closes, which Radix's tooltip would prevent.
 */
import { type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import './tooltip.css'

/** A pointer that crosses the picture opens nothing. */
const DELAY_MS = 150

type Place = {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

type Tip<Of> = { readonly of: Of; readonly place: Place } | null

/** What the tooltip is about, and the handlers of a mark. */
export function useTip<Of>() {
  const [tip, setTip] = useState<Tip<Of>>(null)
  const timer = useRef<number | undefined>(undefined)
  const hide = useCallback(() => {
    window.clearTimeout(timer.current)
    setTip(null)
  }, [])
  const show = useCallback((of: Of, element: Element, delay = DELAY_MS) => {
    window.clearTimeout(timer.current)
    const open = () => {
      const { left, top, width, height } = element.getBoundingClientRect()
      setTip({ of, place: { left, top, width, height } })
    }
    if (delay === 0) open()
    else timer.current = window.setTimeout(open, delay)
  }, [])
  useEffect(() => () => window.clearTimeout(timer.current), [])
  return { tip, show, hide }
}

/** Between the mark and the tooltip, and between the tooltip and the edge of the window. */
const APART = 6
const EDGE = 8

/** Below the mark, above it where there is no room below; at once, so that it never jumps. */
function placed({ left, top, height }: Place, box: DOMRect): { left: number; top: number } {
  const below = top + height + APART
  const above = top - APART - box.height
  const fits = below + box.height + EDGE <= window.innerHeight || above < EDGE
  return {
    left: Math.max(EDGE, Math.min(left, window.innerWidth - box.width - EDGE)),
    top: fits ? below : above,
  }
}

export function Tooltip<Of>({
  tip,
  onHide,
  children,
}: {
  readonly tip: Tip<Of>
  readonly onHide: () => void
  readonly children: (of: Of) => ReactNode
}) {
  const box = useRef<HTMLDivElement>(null)
  const place = tip?.place
  useLayoutEffect(() => {
    if (!box.current || !place) return
    const { left, top } = placed(place, box.current.getBoundingClientRect())
    box.current.style.left = `${left}px`
    box.current.style.top = `${top}px`
  }, [place])
  const isOpen = tip !== null
  // With the box itself, not after the next frame: a key pressed in between would be lost.
  useLayoutEffect(() => {
    if (!isOpen) return
    // Another layer may close by the same key press.
    const onKey = (event: KeyboardEvent) => event.key === 'Escape' && onHide()
    window.addEventListener('keydown', onKey, true)
    window.addEventListener('scroll', onHide, true)
    return () => {
      window.removeEventListener('keydown', onKey, true)
      window.removeEventListener('scroll', onHide, true)
    }
  }, [isOpen, onHide])
  if (!tip) return null
  return (
    <div ref={box} className="tooltip" role="tooltip">
      {children(tip.of)}
    </div>
  )
}
