/** The postmortem on one page: outline at the left, the document, panels at the right. */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useIncidentId } from '@/state/incident'
import { useKeys } from '@/state/keys'
import { text, useUrlState } from '@/state/url'
import { Comments } from '@/ui/text/Comments'
import { NotRefreshed, Problem, SkeletonRows } from '@/ui/display/States'
import { Tabs } from '@/ui/controls/Tabs'
import { ActionsPanel } from './ActionsPanel'
import { ChecksPanel } from './ChecksPanel'
import { InsertPanel } from './InsertPanel'
import { Editors } from './document/editors'
import { ReportDocument } from './document/ReportDocument'
import { REPORT_KEYS } from './keys'
import { Outline, SectionState } from './Outline'
import { type Check, pageQuery, type Report, reportQuery } from './queries'
import { ReleaseBar } from './ReleaseBar'
import { VersionsPanel } from './VersionsPanel'
import './report.css'

type Panel = 'checks' | 'insert' | 'comments' | 'actions' | 'versions'

export default function ReportScreen() {
  const id = useIncidentId()
  const [key, setKey] = useUrlState('section', text, '')
  const [panel, setPanel] = useUrlState('panel', text, 'checks')
  const [editors] = useState(() => new Editors())
  const [reading, setReading] = useState('')
  const place = useRef<HTMLDivElement>(null)
  const report = useQuery(reportQuery(id))
  const page = useQuery(pageQuery(id))
  const { data } = report
  useEffect(() => {
    if (!data) return
    editors.offer(
      data.insertable,
      data.sections.map((section) => section.key),
    )
  }, [editors, data])
  useKeys(REPORT_KEYS, {})
  const scrollTo = (section: string) => {
    const wanted = place.current?.querySelector(`[data-section="${CSS.escape(section)}"]`)
    wanted?.scrollIntoView({ block: 'start' })
  }
  useArrival(key, Boolean(data) && !page.isPending, scrollTo)
  if (report.isLoadingError) {
    return (
      <Problem
        error={report.error}
        what="The report could not be read"
        onRetry={() => void report.refetch()}
      />
    )
  }
  if (!data) return <SkeletonRows rows={10} />
  const current = key || reading || (data.sections[0]?.key ?? '')
  const title = [...data.sections, ...data.kept].find((section) => section.key === current)?.title
  const goTo = (check: Check) => {
    if (check.section === null) return setPanel('actions')
    setKey(check.section)
    scrollTo(check.section)
    editors.goTo(check.section, check.line ?? 1, /“([^”…]+)/.exec(check.text)?.[1])
  }
  const choose = (section: string) => {
    setKey(section)
    // A section outside of the template is there after the next render.
    requestAnimationFrame(() => scrollTo(section))
  }
  const marks = data.checks.filter((check) => check.level === 'warning').length
  const remarks = remarksOf(data)
  return (
    <div className="report">
      <Outline
        incidentId={id}
        report={data}
        remarks={remarks}
        reading={reading}
        selected={current}
        onSelect={choose}
      />
      <div className="report-main">
        <NotRefreshed query={report} />
        <ReleaseBar incidentId={id} report={data} />
        <ReportDocument
          incidentId={id}
          report={data}
          page={page}
          editors={editors}
          place={place}
          selected={key}
          state={(section) => (
            <SectionState
              section={data.sections.find((each) => each.key === section)}
              remarks={remarks.get(section) ?? 0}
            />
          )}
          onSelect={setKey}
          onVisible={setReading}
        />
      </div>
      <aside className="report-side" aria-label="About the report">
        <Tabs<Panel>
          label="About the report"
          value={panel as Panel}
          onChange={setPanel}
          tabs={[
            {
              value: 'checks',
              label: marks ? `Checks ${marks}` : 'Checks',
              content: <ChecksPanel report={data} onGo={goTo} />,
            },
            {
              value: 'insert',
              label: 'Insert',
              content: (
                <InsertPanel
                  all={data.insertable}
                  onInsert={(item) => editors.insert(item, current)}
                />
              ),
            },
            {
              value: 'comments',
              label: 'Comments',
              content: title !== undefined && (
                <div className="report-comments scroll">
                  <h3>{title}</h3>
                  <Comments key={current} incidentId={id} subject={`report:${current}`} />
                </div>
              ),
            },
            { value: 'actions', label: 'Actions', content: <ActionsPanel incidentId={id} /> },
            { value: 'versions', label: 'Versions', content: <VersionsPanel incidentId={id} /> },
          ]}
        />
      </aside>
    </div>
  )
}

/** The number of warnings of each section. */
function remarksOf(report: Report): ReadonlyMap<string, number> {
  const remarks = new Map<string, number>()
  for (const check of report.checks) {
    if (check.level !== 'warning' || check.section === null) continue
    remarks.set(check.section, (remarks.get(check.section) ?? 0) + 1)
  }
  return remarks
}

/** Scroll to the section that the address names, once the document is there. */
function useArrival(key: string, ready: boolean, scrollTo: (section: string) => void) {
  const arrived = useRef(false)
  useEffect(() => {
    if (!ready || arrived.current) return
    arrived.current = true
    if (key) scrollTo(key)
    // eslint-disable-next-line react-hooks/exhaustive-deps -- once
  }, [ready])
}
