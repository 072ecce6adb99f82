/** The editor of a section, shared by several people, with a preview. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { keys } from '@/api/keys'
import { LiveText } from '@/ui/text/LiveText'
import { Problem } from '@/ui/display/States'
import type { Insertion } from './insertion'
import { previewQuery } from './queries'

const PREVIEW_MS = 400
const CHECKS_MS = 2500

export function SectionEditor({
  incidentId,
  sectionKey,
  title,
  prompt,
  prefilled,
  insertion,
  onOpen,
}: {
  readonly incidentId: string
  readonly sectionKey: string
  readonly title: string
  readonly prompt: string
  readonly prefilled: boolean
  readonly insertion: Insertion
  /** Called when the text is loaded and a line can be shown. */
  readonly onOpen: () => void
}) {
  const client = useQueryClient()
  const [body, setBody] = useState<string | null>(null)
  const extensions = useMemo(() => [insertion.extension], [insertion])
  const settled = useSettled(body, PREVIEW_MS)
  const checked = useSettled(body, CHECKS_MS)
  const opened = body !== null
  useEffect(() => {
    if (opened) onOpen()
    // eslint-disable-next-line react-hooks/exhaustive-deps -- once, when the text is loaded
  }, [opened])
  useEffect(() => {
    // An edit changes the checks and the state of the section in the outline.
    if (checked !== null) {
      void client.invalidateQueries({ queryKey: keys.of(incidentId, 'report', 'all') })
    }
  }, [client, incidentId, checked])
  return (
    <section className="report-section" aria-label={title}>
      <header className="report-head">
        <h2>{title}</h2>
        <span className="muted">{prefilled ? `Proposed from the case. ${prompt}` : prompt}</span>
      </header>
      <div className="report-panes">
        <LiveText
          className="report-editor"
          incidentId={incidentId}
          textKey={`report/${sectionKey}`}
          label={`${title}, Markdown`}
          placeholder={`${prompt} Type / for pins, figures and tables.`}
          extensions={extensions}
          onText={setBody}
        />
        <Preview incidentId={incidentId} body={settled ?? ''} />
      </div>
    </section>
  )
}

function Preview({ incidentId, body }: { readonly incidentId: string; readonly body: string }) {
  const { data, isPending, isError, error } = useQuery(previewQuery(incidentId, body))
  if (isError) return <Problem compact error={error} what="The preview failed" />
  if (isPending) return <p className="report-preview muted">Drawing the preview…</p>
  // The server escapes all content: see report/html.py.
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
