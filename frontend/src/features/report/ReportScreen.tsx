/** The postmortem: sections proposed from the case, edited in Markdown, exported with sources. */
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api, ifMatch, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import { ApiProblem } from '@/api/problem'
import { useMay } from '@/api/queries'
import type { components } from '@/api/schema'
import { useIncidentId } from '@/state/incident'
import { text, useUrlState } from '@/state/url'
import { Button } from '@/ui/Button'
import { Chip } from '@/ui/Chip'
import { cx } from '@/ui/cx'
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
  const mayWrite = useMay('contributor')
  const client = useQueryClient()
  const storage = `pileup.draft.report.${incidentId}.${section.key}`
  const kept = readDraft(storage)
  const [body, setBody] = useState(kept?.body ?? section.body_md)
  const [based, setBased] = useState(kept?.revision ?? section.revision)
  const dirty = body !== section.body_md
  const path = { incident_id: incidentId, key: section.key }

  useEffect(() => {
    if (dirty) writeDraft(storage, { body, revision: based })
    else localStorage.removeItem(storage)
  }, [storage, dirty, body, based])

  const save = useMutation({
    mutationFn: (revision: number) =>
      unwrap(
        api.PUT('/api/v1/incidents/{incident_id}/report/sections/{key}', {
          params: { path, header: ifMatch(revision) },
          body: { body_md: body },
        }),
      ),
    onSuccess: (saved) => {
      setBased(saved.revision)
      localStorage.removeItem(storage)
      return client.invalidateQueries({ queryKey: keys.of(incidentId, 'report') })
    },
    onError: (problem) => {
      // Somebody else saved: fetch theirs, so that both texts can be compared. Ours stays here.
      if (problem instanceof ApiProblem && problem.isConflict) {
        void client.invalidateQueries({ queryKey: keys.of(incidentId, 'report') })
      }
    },
  })
  const propose = useMutation({
    mutationFn: () =>
      unwrap(
        api.POST('/api/v1/incidents/{incident_id}/report/sections/{key}/prefill', {
          params: { path },
        }),
      ),
    onSuccess: (proposal) => setBody(proposal.body_md),
  })
  const conflict = save.error instanceof ApiProblem && save.error.isConflict
  return (
    <div className="report-main">
      <header className="report-head">
        <h2>{section.title}</h2>
        <span className="muted">
          {dirty
            ? 'not saved; kept in this browser'
            : section.prefilled
              ? 'proposed from the case'
              : `revision ${section.revision}`}
        </span>
        <span className="report-grow" />
        {mayWrite && (
          <>
            <Button size="small" busy={propose.isPending} onClick={() => propose.mutate()}>
              Take the proposed text
            </Button>
            <Button
              size="small"
              variant="primary"
              disabled={!dirty && !section.prefilled}
              busy={save.isPending}
              onClick={() => save.mutate(based)}
            >
              Save section
            </Button>
          </>
        )}
      </header>
      {save.isError && !conflict && (
        <Problem compact error={save.error} what="The section was not saved" />
      )}
      {propose.isError && (
        <Problem compact error={propose.error} what="No text could be proposed" />
      )}
      {conflict && (
        <div className="report-conflict" role="alert">
          <strong>Somebody else saved this section.</strong> Your text is still in the editor.
          Theirs:
          <pre>{section.body_md}</pre>
          <Button size="small" onClick={() => save.mutate(section.revision)}>
            Save mine over it
          </Button>{' '}
          <Button
            size="small"
            onClick={() => {
              setBody(section.body_md)
              setBased(section.revision)
              save.reset()
            }}
          >
            Take theirs
          </Button>
        </div>
      )}
      <div className="report-panes">
        <textarea
          className="report-editor mono"
          aria-label={`${section.title}, Markdown`}
          readOnly={!mayWrite}
          value={body}
          onChange={(event) => {
            if (!dirty) setBased(section.revision)
            setBody(event.target.value)
          }}
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

type Draft = { body: string; revision: number }

function readDraft(key: string): Draft | null {
  try {
    const kept = localStorage.getItem(key)
    return kept === null ? null : (JSON.parse(kept) as Draft)
  } catch {
    return null
  }
}

function writeDraft(key: string, draft: Draft) {
  try {
    localStorage.setItem(key, JSON.stringify(draft))
  } catch {
    // Storage is full or off: the text stays in the editor.
  }
}
