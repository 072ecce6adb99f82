/** The sections of a file as a list (thousands in a long file); the one in view is marked. */
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import type { SectionOut } from '@/api/schema'
import { cx } from '@/ui/cx'

const ROW_PX = 24

export function Sections({
  sections,
  current,
  onGo,
}: {
  readonly sections: readonly SectionOut[]
  /** First visible line. */
  readonly current: number
  readonly onGo: (section: SectionOut) => void
}) {
  const scroller = useRef<HTMLElement>(null)
  const at = sections.findLastIndex((section) => section.line_first <= current + 4)
  const virtualizer = useVirtualizer({
    count: sections.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 10,
  })
  useEffect(() => {
    if (at >= 0) virtualizer.scrollToIndex(at, { align: 'auto' })
  }, [at, virtualizer])
  if (sections.length === 0) return null
  return (
    <nav ref={scroller} className="sections scroll" aria-label="Sections of the file">
      <div style={{ position: 'relative', height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map((item) => {
          const section = sections[item.index]
          if (!section) return null
          const { title, line_first: first, line_last: last, understood, level } = section
          return (
            <button
              key={item.index}
              type="button"
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
              <span className="ellipsis">{title}</span>
              <span className="section-line">{first}</span>
            </button>
          )
        })}
      </div>
    </nav>
  )
}
