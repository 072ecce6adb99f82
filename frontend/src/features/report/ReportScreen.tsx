/** The postmortem: outline at the left, text and preview, panels at the right. */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useIncidentId } from '@/state/incident'
import { text, useUrlState } from '@/state/url'
import { Comments } from '@/ui/text/Comments'
import { NotRefreshed, Problem, SkeletonRows } from '@/ui/display/States'
import { Tabs } from '@/ui/controls/Tabs'
import { ActionsPanel } from './ActionsPanel'
import { ChecksPanel } from './ChecksPanel'
import { Insertion } from './insertion'
import { InsertPanel } from './InsertPanel'
import { Outline } from './Outline'
import { type Check, reportQuery } from './queries'
import { ReleaseBar } from './ReleaseBar'
import { SectionEditor } from './SectionEditor'
import { VersionsPanel } from './VersionsPanel'
import './report.css'

type Panel = 'checks' | 'insert' | 'comments' | 'actions' | 'versions'

export default function ReportScreen() {
  const id = useIncidentId()
  const [key, setKey] = useUrlState('section', text, 'summary')
  const [panel, setPanel] = useUrlState('panel', text, 'checks')
  const [insertion] = useState(() => new Insertion())
  const wanted = useRef<number | null>(null)
  const report = useQuery(reportQuery(id))
  const { data } = report
  useEffect(() => insertion.offer(data?.insertable ?? []), [insertion, data])
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
  const kept = data.kept.find((item) => item.key === key)
  const section =
    data.sections.find((section) => section.key === key) ?? (kept ? null : data.sections[0])
  const shown = section ?? kept
  const goTo = (check: Check) => {
    if (check.section === null) return setPanel('actions')
    const line = check.line ?? 1
    if (check.section === shown?.key) insertion.goTo(line)
    else {
      wanted.current = line
      setKey(check.section)
    }
  }
  const marks = data.checks.filter((check) => check.level === 'warning').length
  return (
    <div className="report">
      <Outline incidentId={id} report={data} selected={shown?.key ?? ''} onSelect={setKey} />
      <div className="report-main">
        <NotRefreshed query={report} />
        <ReleaseBar incidentId={id} report={data} />
        {shown && (
          <SectionEditor
            key={shown.key}
            incidentId={id}
            sectionKey={shown.key}
            title={shown.title}
            prompt={section?.prompt ?? 'Not exported by this template.'}
            prefilled={section?.prefilled ?? false}
            insertion={insertion}
            onOpen={() => {
              if (wanted.current !== null) insertion.goTo(wanted.current)
              wanted.current = null
            }}
          />
        )}
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
                <InsertPanel all={data.insertable} onInsert={(item) => insertion.insert(item)} />
              ),
            },
            {
              value: 'comments',
              label: 'Comments',
              content: shown && (
                <div className="report-comments scroll">
                  <h3>{shown.title}</h3>
                  <Comments key={shown.key} incidentId={id} subject={`report:${shown.key}`} />
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
