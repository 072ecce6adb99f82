/** The postmortem: sections proposed from the case, edited in Markdown, exported with sources. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import type { components } from '@/api/schema'
import { useIncidentId } from '@/state/incident'
import { text, useUrlState } from '@/state/url'
import { Chip } from '@/ui/Chip'
import { cx } from '@/ui/cx'
import { LiveText } from '@/ui/LiveText'
import { Problem, SkeletonRows } from '@/ui/States'
import './report.css'

type Section = components['schemas']['ReportSection']

const reportQuery = (id: string) =>
  queryOptions({
    queryKey: keys.of(id, 'report'),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/report', {
          params: { path: { incident_id: id } },
        }),
      ),
  })

export default function ReportScreen() {
  const id = useIncidentId()
  const [key, setKey] = useUrlState('section', text, 'summary')
  const { data, isPending, isError, error, refetch } = useQuery(reportQuery(id))
  if (isError) {
    return (
      <Problem error={error} what="The report could not be read" onRetry={() => void refetch()} />
    )
  }
  if (isPending) return <SkeletonRows rows={10} />
  const section = data.sections.find((one) => one.key === key) ?? data.sections[0]
  const file = (format: string) => `/api/v1/incidents/${id}/report/export?format=${format}`
  return (
    <div className="report">
      <nav className="report-outline scroll" aria-label="Sections">
        <ol>
          {data.sections.map((one) => (
            <li key={one.key}>
              <button
                type="button"
                data-testid="report-section"
                className={cx('report-entry', one.key === section?.key && 'selected')}
                onClick={() => setKey(one.key)}
              >
                {one.title}
                <span className="faint">{one.prefilled ? 'proposed' : 'edited'}</span>
              </button>
            </li>
          ))}
        </ol>
        <div className="report-export">
          <a className="btn btn-primary" href={file('html')} download>
            Export HTML
          </a>
          <a className="btn" href={file('md')} download>
            Export Markdown
          </a>
        </div>
      </nav>
      {section && <Editor key={section.key} incidentId={id} section={section} />}
      <aside className="report-checks scroll" aria-label="Checks">
        <h3>Checks</h3>
        {data.checks.length === 0 && <p className="muted">Nothing to remark.</p>}
        <ul>
          {data.checks.map((check, index) => (
            <li key={index}>
              <Chip tone={check.level === 'warning' ? 'waiting' : 'plain'}>{check.level}</Chip>{' '}
              <button type="button" className="linklike" onClick={() => setKey(check.section)}>
                {data.sections.find((one) => one.key === check.section)?.title ?? check.section}
              </button>
              <div>{check.text}</div>
            </li>
          ))}
        </ul>
      </aside>
    </div>
  )
}

function Editor({ incidentId, section }: { incidentId: string; section: Section }) {
  const [body, setBody] = useState(section.body_md)
  return (
    <div className="report-main">
      <header className="report-head">
        <h2>{section.title}</h2>
        {section.prefilled && <span className="muted">proposed from the case until edited</span>}
      </header>
      <div className="report-panes">
        <LiveText
          className="report-editor"
          incidentId={incidentId}
          textKey={`report/${section.key}`}
          label={`${section.title}, Markdown`}
          onText={setBody}
        />
        <Preview incidentId={incidentId} body={body} />
      </div>
    </div>
  )
}

function Preview({ incidentId, body }: { incidentId: string; body: string }) {
  const settled = useSettled(body, 400)
  const { data, isError, error } = useQuery({
    queryKey: keys.of(incidentId, 'report', 'preview', settled),
    queryFn: () =>
      unwrap(
        api.POST('/api/v1/incidents/{incident_id}/report/preview', {
          params: { path: { incident_id: incidentId } },
          body: { body_md: settled },
        }),
      ),
    staleTime: Infinity,
    placeholderData: (before: { html: string } | undefined) => before,
  })
  if (isError) return <Problem compact error={error} what="No preview" />
  // The server renders without raw HTML and sanitises the result (nh3): see report/html.py.
  return (
    <article
      className="report-preview scroll"
      aria-label="Preview"
      data-testid="report-preview"
      dangerouslySetInnerHTML={{ __html: data?.html ?? '' }}
    />
  )
}

function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}
