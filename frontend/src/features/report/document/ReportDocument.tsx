/** The whole report on one page: its sections one below the other, each written in place. */
import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, type RefObject, useEffect } from 'react'
import { useNavigate } from 'react-router'
import { keepUnits } from '@/format'
import { useStore } from '@/state/store'
import { NotRefreshed, SkeletonRows } from '@/ui/display/States'
import type { PageSection, Report } from '../queries'
import { DocumentSection } from './DocumentSection'
import type { Editors } from './editors'
import './document.css'

export function ReportDocument({
  incidentId,
  report,
  page,
  editors,
  place,
  selected,
  state,
  onSelect,
  onVisible,
}: {
  readonly incidentId: string
  readonly report: Report
  /** The sections as readers see them. */
  readonly page: UseQueryResult<PageSection[]>
  readonly editors: Editors
  readonly place: RefObject<HTMLDivElement | null>
  /** The section that the address names. */
  readonly selected: string
  /** What is known of a section, for its heading. */
  readonly state: (key: string) => ReactNode
  readonly onSelect: (key: string) => void
  readonly onVisible: (key: string) => void
}) {
  const navigate = useNavigate()
  const of = new Map(page.data?.map((section) => [section.key, section]))
  const moved = useStore(editors.moved)
  const target = report.sections.find(({ key }) => key === moved)?.title
  useReading(place, onVisible, page.isSuccess)
  const kept = report.kept.find((item) => item.key === selected)
  return (
    <div
      ref={place}
      className="doc-page scroll"
      role="region"
      aria-label="Text of the report"
      tabIndex={0}
      data-testid="report-document"
      onClick={(event) => {
        // A source opens in the application, not as another page load.
        const link = event.target instanceof Element ? event.target.closest('sup a') : null
        const href = link?.getAttribute('href')
        if (!href?.startsWith('/') || event.metaKey || event.ctrlKey || event.shiftKey) return
        event.preventDefault()
        void navigate(href)
      }}
    >
      <NotRefreshed query={page} />
      <div className="doc-paper">
        <header className="doc-cover">
          <p className="doc-title">{report.title}</p>
          {report.cover && (
            <>
              <p className="doc-story" data-testid="report-story">
                {keepUnits(report.cover.story)}
              </p>
              <ul>
                {report.cover.points.map((point) => (
                  <li key={point}>{keepUnits(point)}</li>
                ))}
              </ul>
            </>
          )}
        </header>
        {page.isPending ? (
          // Headings alone would jump when the texts arrive between them.
          <SkeletonRows rows={10} />
        ) : (
          report.sections.map((section, index) => (
            <DocumentSection
              key={section.key}
              incidentId={incidentId}
              section={{ ...section, number: index + 1, state: state(section.key) }}
              page={of.get(section.key)}
              editors={editors}
              wanted={section.key === selected}
              onFocus={() => onSelect(section.key)}
            />
          ))
        )}
        {kept && !page.isPending && (
          <DocumentSection
            key={kept.key}
            incidentId={incidentId}
            section={{ ...kept, prompt: KEPT, number: null, state: null }}
            page={undefined}
            editors={editors}
            wanted
            onFocus={() => onSelect(kept.key)}
          />
        )}
        <p className="visually-hidden" role="status">
          {target !== undefined && `Moved to ${target}`}
        </p>
      </div>
    </div>
  )
}

const KEPT = 'Not exported by this template.'

/** Report the section that is being read: the last one that begins above the middle of the page. */
function useReading(
  place: RefObject<HTMLDivElement | null>,
  onVisible: (key: string) => void,
  ready: boolean,
) {
  useEffect(() => {
    const page = place.current
    if (!page || !ready) return
    let frame = 0
    const look = () => {
      frame = 0
      const line = page.getBoundingClientRect().top + page.clientHeight / 3
      const all = [...page.querySelectorAll<HTMLElement>('[data-section]')]
      const above = all.filter((section) => section.getBoundingClientRect().top <= line)
      const key = (above.at(-1) ?? all[0])?.dataset.section
      if (key !== undefined) onVisible(key)
    }
    const later = () => {
      frame ||= requestAnimationFrame(look)
    }
    look()
    page.addEventListener('scroll', later, { passive: true })
    return () => {
      cancelAnimationFrame(frame)
      page.removeEventListener('scroll', later)
    }
    // eslint-disable-next-line react-hooks/exhaustive-deps -- onVisible only sets state
  }, [place, ready])
}
