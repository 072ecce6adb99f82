/** The right-hand drawer, the same everywhere: resizable (360 to 720 px), closed with Escape. */
import { type PointerEvent, type ReactNode, useEffect, useLayoutEffect, useRef } from 'react'
import { useStored } from '@/state/stored'
import { IconButton } from '@/ui/controls/Button'
import { CloseIcon } from '@/ui/controls/icons'
import '../styles/parts.css'

const LEAST = 360
const MOST = 720
const STEP = 24

export function Inspector({
  title,
  subtitle,
  actions,
  onClose,
  children,
}: {
  readonly title: ReactNode
  readonly subtitle?: ReactNode
  readonly actions?: ReactNode
  readonly onClose: () => void
  readonly children: ReactNode
}) {
  const [width, setWidth] = useStored('inspector.width', 420)
  const from = useRef<{ x: number; width: number } | null>(null)
  const clamped = (next: number) => setWidth(Math.min(MOST, Math.max(LEAST, Math.round(next))))

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented && !document.querySelector('.dialog')) {
        onClose()
      }
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [onClose])

  const panel = useRef<HTMLElement>(null)
  useLayoutEffect(() => returnFocus(panel.current), [])

  const drag = (event: PointerEvent) => {
    if (from.current) clamped(from.current.width + from.current.x - event.clientX)
  }
  return (
    <aside ref={panel} className="inspector" style={{ width }} aria-label="Inspector">
      <div
        className="inspector-edge"
        role="separator"
        aria-orientation="vertical"
        aria-label="Width of the inspector"
        aria-valuenow={width}
        aria-valuemin={LEAST}
        aria-valuemax={MOST}
        tabIndex={0}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          from.current = { x: event.clientX, width }
        }}
        onPointerMove={drag}
        onPointerUp={() => {
          from.current = null
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowLeft') clamped(width + STEP)
          if (event.key === 'ArrowRight') clamped(width - STEP)
        }}
      />
      <header className="inspector-head">
        <div className="inspector-titles">
          <h2 className="ellipsis">{title}</h2>
          {subtitle && <div className="inspector-subtitle">{subtitle}</div>}
        </div>
        {actions}
        <IconButton label="Close the inspector" icon={<CloseIcon />} onClick={onClose} />
      </header>
      <div className="inspector-body scroll">{children}</div>
    </aside>
  )
}

/** When the panel closes with the focus in it, focus what had it before: the row or the node it is about. */
function returnFocus(panel: HTMLElement | null): () => void {
  const canvas = panel?.closest('main')
  const isOutside = (element: unknown): element is HTMLElement =>
    element instanceof HTMLElement &&
    canvas?.contains(element) === true &&
    panel?.contains(element) === false
  let before = isOutside(document.activeElement) ? document.activeElement : null
  const onFocus = ({ target }: FocusEvent) => {
    if (isOutside(target)) before = target
  }
  document.addEventListener('focusin', onFocus)
  return () => {
    document.removeEventListener('focusin', onFocus)
    if (panel?.contains(document.activeElement) && before?.isConnected)
      before.focus({ preventScroll: true })
  }
}

/** A heading and its content inside the inspector. */
export function InspectorSection({
  title,
  children,
}: {
  readonly title: ReactNode
  readonly children: ReactNode
}) {
  return (
    <section className="inspector-section">
      <h3>{title}</h3>
      {children}
    </section>
  )
}

/** An aligned list of names and values. */
export function Fields({
  items,
}: {
  readonly items: readonly (readonly [label: string, value: ReactNode] | null | false)[]
}) {
  return (
    <dl className="fields">
      {items.map(
        (item) =>
          item && (
            <div key={item[0]} className="fields-row">
              <dt>{item[0]}</dt>
              <dd>{item[1]}</dd>
            </div>
          ),
      )}
    </dl>
  )
}
