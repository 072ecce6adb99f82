/**
 * The sections of a file as a list (thousands in a long file); the visible one is marked. A single
 * section leaves its room to the text. Where the
 * outline omits fine sections, those of the current position are loaded. The list is one Tab stop: the
 * arrow keys, Home and End move inside it.
 */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import type { ArtifactDetail, SectionOut } from '@/api/schema'
import { cx } from '@/ui/controls/cx'
import { sectionAt, shortTitle, withFiner } from './lines'
import { sectionsQuery } from '../queries'

const ROW_PX = 24

export function Sections({
  detail,
  current,
  onGo,
}: {
  readonly detail: Pick<ArtifactDetail, 'id' | 'sections' | 'sections_in_all'> | undefined
  /** First visible line. */
  readonly current: number
  readonly onGo: (section: SectionOut) => void
}) {
  const scroller = useRef<HTMLElement>(null)
  const outline = detail?.sections ?? []
  const coarse = sectionAt(outline, current)
  const [first, last] = [
    outline[coarse]?.line_first ?? 1,
    (outline[coarse + 1]?.line_first ?? 1e15) - 1,
  ]
  const finer = useQuery({
    ...sectionsQuery(detail?.id ?? '', first, last),
    enabled: detail !== undefined && detail.sections_in_all > outline.length,
    placeholderData: keepPreviousData,
  })
  const sections = withFiner(outline, coarse, finer.data ?? [])
  const at = sectionAt(sections, current)
  const virtualizer = useVirtualizer({
    count: sections.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 10,
  })
  useEffect(() => {
    if (at >= 0) virtualizer.scrollToIndex(at, { align: 'auto' })
  }, [at, virtualizer])
  const [walked, setWalked] = useState<number | null>(null)
  if (sections.length < 2) return null
  const items = virtualizer.getVirtualItems()
  const here = walked ?? Math.max(at, 0)
  const stop = items.some((item) => item.index === here) ? here : items[0]?.index
  const onKeyDown = (event: KeyboardEvent) => {
    const end = sections.length - 1
    const to = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: end }[event.key]
    if (to === undefined || to < 0 || to > end) return
    event.preventDefault()
    setWalked(to)
    virtualizer.scrollToIndex(to, { align: 'auto' })
    requestAnimationFrame(() =>
      scroller.current?.querySelector<HTMLElement>(`[data-at="${to}"]`)?.focus(),
    )
  }
  return (
    <nav
      ref={scroller}
      className="sections scroll"
      aria-label="Sections of the file"
      onKeyDown={onKeyDown}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setWalked(null)
      }}
    >
      <div style={{ position: 'relative', height: virtualizer.getTotalSize() }}>
        {items.map((item) => {
          const section = sections[item.index]
          if (!section) return null
          const { title, line_first: first, line_last: last, understood, level } = section
          return (
            <button
              key={item.index}
              type="button"
              data-at={item.index}
              tabIndex={item.index === stop ? 0 : -1}
              className={cx(
                'section',
                item.index === at && 'section-here',
                !understood && 'section-skipped',
              )}
              style={{ transform: `translateY(${item.start}px)`, paddingLeft: 12 + level * 12 }}
              title={`${title}, lines ${first}–${last}${understood ? '' : ', not understood'}`}
              aria-current={item.index === at ? 'location' : undefined}
              onClick={() => onGo(section)}
            >
              <span className="ellipsis">{shortTitle(title, sections[item.index - 1]?.title)}</span>
              <span className="section-line">{first}</span>
            </button>
          )
        })}
      </div>
    </nav>
  )
}
