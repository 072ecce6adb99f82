/** A virtual list of any length, with a scrollbar over all of it. */
import {
  type KeyboardEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { clampTop, contentPx, isScaled, rowsSeen, scrollAt, topAt } from './scrollScale'

/** The row to scroll to the upper part; a new object scrolls again. */
export type Target = { readonly row: number }

export function LongList({
  count,
  rowPx,
  row,
  target,
  onSeen,
  label,
  className,
  onKeyDown,
}: {
  readonly count: number
  readonly rowPx: number
  /** Renders a row at the position of `style`. */
  readonly row: (index: number, style: { readonly transform: string }) => ReactNode
  readonly target: Target | null
  readonly onSeen?: (first: number, last: number) => void
  readonly label: string
  readonly className: string
  readonly onKeyDown?: (event: KeyboardEvent) => void
}) {
  const scroller = useRef<HTMLDivElement>(null)
  const [viewPx, setViewPx] = useState(600)
  const [top, setTop] = useState(0)
  const ownScroll = useRef(-1)
  const measure = useMemo(() => ({ count, rowPx, viewPx }), [count, rowPx, viewPx])
  const scaled = isScaled(measure)

  const move = useCallback(
    (next: number) => {
      const element = scroller.current
      if (!element) return
      const clamped = clampTop(measure, next)
      element.scrollTop = scrollAt(measure, clamped)
      ownScroll.current = element.scrollTop
      setTop(clamped)
    },
    [measure],
  )

  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    setViewPx(element.clientHeight || 600)
    const observer = new ResizeObserver(() => setViewPx(element.clientHeight || 600))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  // Where one pixel of the scrollbar covers many rows, the wheel scrolls by rows.
  const here = useRef(top)
  useEffect(() => {
    here.current = top
  }, [top])
  useEffect(() => {
    const element = scroller.current
    if (!element || !scaled) return
    const onWheel = (event: WheelEvent) => {
      if (event.ctrlKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) return
      event.preventDefault()
      move(here.current + event.deltaY / (event.deltaMode === 1 ? 1 : rowPx))
    }
    element.addEventListener('wheel', onWheel, { passive: false })
    return () => element.removeEventListener('wheel', onWheel)
  }, [scaled, move, rowPx])

  // Scroll to the target once, and again when the list shrinks and hides it.
  const went = useRef<{ target: Target; viewPx: number } | null>(null)
  useLayoutEffect(() => {
    const height = scroller.current?.clientHeight || viewPx
    const before = went.current
    if (!target || count === 0) return
    if (before?.target === target && before.viewPx <= height) return
    const now = here.current
    const inView = (px: number) => target.row >= now && target.row < now + px / rowPx - 1
    if (before?.target === target && !inView(before.viewPx)) return // the user scrolled away
    went.current = { target, viewPx: height }
    if (!inView(height)) move(target.row - Math.min(4, height / rowPx / 4))
  }, [target, count, viewPx, rowPx, move])

  const [first, last] = rowsSeen(measure, top)
  useEffect(() => {
    if (last >= first) onSeen?.(first, last)
  }, [first, last, onSeen])

  const onKey = (event: KeyboardEvent) => {
    onKeyDown?.(event)
    if (event.defaultPrevented || !scaled || event.target !== event.currentTarget) return
    const page = Math.max(1, Math.floor(viewPx / rowPx) - 2)
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page }[event.key]
    if (step) move(top + step)
    else if (event.key === 'Home') move(0)
    else if (event.key === 'End') move(count)
    else return
    event.preventDefault()
  }
  const rows: ReactNode[] = []
  for (let index = first; index <= last; index += 1)
    rows.push(row(index, { transform: `translateY(${(index - top) * rowPx}px)` }))
  return (
    <div
      ref={scroller}
      className={`longlist scroll ${className}`}
      tabIndex={0}
      role="region"
      aria-label={label}
      onKeyDown={onKey}
      onScroll={(event) => {
        const at = event.currentTarget.scrollTop
        if (Math.abs(at - ownScroll.current) < 1) return
        ownScroll.current = -1
        setTop(topAt(measure, at))
      }}
    >
      <div className="longlist-all" style={{ height: contentPx(measure) }}>
        <div
          className="longlist-seen"
          style={{ height: Math.min(viewPx, Math.max(rowPx, contentPx(measure))) }}
        >
          {rows}
        </div>
      </div>
    </div>
  )
}
