/** The sections of a file as a list; the one in view is marked. */
import { useEffect, useRef } from 'react'
import type { SectionOut } from '@/api/schema'
import { cx } from '@/ui/cx'

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
  const here = useRef<HTMLButtonElement>(null)
  const at = sections.findLastIndex((section) => section.line_first <= current + 4)
  useEffect(() => here.current?.scrollIntoView({ block: 'nearest' }), [at])
  if (sections.length === 0) return null
  return (
    <nav className="sections scroll" aria-label="Sections of the file">
      {sections.map((section, index) => (
        <button
          key={`${section.line_first}-${section.title}`}
          ref={index === at ? here : null}
          type="button"
          className={cx(
            'section',
            index === at && 'section-here',
            !section.understood && 'section-skipped',
          )}
          style={{ paddingLeft: 12 + section.level * 12 }}
          title={`${section.title}, lines ${section.line_first}–${section.line_last}${section.understood ? '' : ', not understood'}`}
          aria-current={index === at ? 'location' : undefined}
          onClick={() => onGo(section)}
        >
          <span className="ellipsis">{section.title}</span>
          <span className="section-line">{section.line_first}</span>
        </button>
      ))}
    </nav>
  )
}
