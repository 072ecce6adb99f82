/** One section of the document: as readers see it, and in place an editor that several people share. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { keys } from '@/api/keys'
import { useMay } from '@/api/queries'
import { Problem } from '@/ui/display/States'
import { LiveText } from '@/ui/text/LiveText'
import { type PageSection, previewQuery } from '../queries'
import type { Editors } from './editors'
import { handles } from './handles'
import { inline } from './inline'
import { rendered } from './rendered'

const PREVIEW_MS = 400
const CHECKS_MS = 2500

export function DocumentSection({
  incidentId,
  section,
  page,
  editors,
  wanted,
  onFocus,
}: {
  readonly incidentId: string
  readonly section: {
    readonly key: string
    readonly title: string
    readonly prompt: string
    readonly number: number | null
    readonly state: ReactNode
  }
  readonly page: PageSection | undefined
  readonly editors: Editors
  /** Open the editor although the section is not on the screen yet. */
  readonly wanted: boolean
  readonly onFocus: () => void
}) {
  const mayWrite = useMay('contributor')
  const place = useRef<HTMLElement>(null)
  const isNear = useNear(place)
  const { key, title, prompt, number } = section
  return (
    <section
      ref={place}
      id={`report-${key}`}
      className="doc-section"
      aria-label={title}
      data-section={key}
      onFocus={onFocus}
    >
      <header className="doc-head">
        <h2>
          {number !== null && <span className="doc-number num">{number}</span>}
          {title}
        </h2>
        {section.state}
      </header>
      {mayWrite && (isNear || wanted) ? (
        <SectionEditor
          incidentId={incidentId}
          sectionKey={key}
          title={title}
          prompt={prompt}
          page={page}
          editors={editors}
        />
      ) : (
        <Still page={page} prompt={prompt} />
      )}
    </section>
  )
}

/** The section as readers see it. */
function Still({
  page,
  prompt,
}: {
  readonly page: PageSection | undefined
  readonly prompt: string
}) {
  const html = page?.blocks.map((block) => block.html).join('\n')
  if (!html) return <p className="doc-still muted">{page ? prompt : 'Reading…'}</p>
  // The server escapes all content: see report/render/html.py.
  return <div className="doc-still doc-prose" dangerouslySetInnerHTML={{ __html: html }} />
}

function SectionEditor({
  incidentId,
  sectionKey,
  title,
  prompt,
  page,
  editors,
}: {
  readonly incidentId: string
  readonly sectionKey: string
  readonly title: string
  readonly prompt: string
  readonly page: PageSection | undefined
  readonly editors: Editors
}) {
  const client = useQueryClient()
  const [body, setBody] = useState<string | null>(null)
  const settled = useSettled(body, PREVIEW_MS)
  const checked = useSettled(body, CHECKS_MS)
  const isPage = settled === null || settled === page?.text
  const preview = useQuery({
    ...previewQuery(incidentId, sectionKey, settled ?? ''),
    enabled: !isPage,
  })
  const shown = isPage ? page : preview.data
  useEffect(() => {
    if (shown) editors.show({ ...shown, key: sectionKey })
  }, [editors, sectionKey, shown])
  useEffect(() => {
    // An edit changes the checks and the state of the section in the outline.
    if (checked === null || checked === page?.text) return
    void client.invalidateQueries({ queryKey: keys.of(incidentId, 'report', 'all') })
    // eslint-disable-next-line react-hooks/exhaustive-deps -- after an edit, not when the page arrives
  }, [client, incidentId, checked])
  const extensions = useMemo(
    () => [rendered, inline, handles(sectionKey, editors), editors.extension(sectionKey)],
    [editors, sectionKey],
  )
  return (
    <>
      <LiveText
        className="doc-editor"
        incidentId={incidentId}
        textKey={`report/${sectionKey}`}
        label={`${title}, Markdown`}
        placeholder={`${prompt} Type / for text, figures, tables and pins.`}
        extensions={extensions}
        onText={setBody}
        waiting={<Still page={page} prompt={prompt} />}
      />
      {preview.isError && <Problem compact error={preview.error} what="The preview failed" />}
    </>
  )
}

/** Whether an element has come near the visible part of the page; then it stays true. */
function useNear(place: { readonly current: HTMLElement | null }): boolean {
  const [isNear, setNear] = useState(false)
  useEffect(() => {
    if (isNear || !place.current) return
    const watch = new IntersectionObserver(
      (entries) => entries.some((entry) => entry.isIntersecting) && setNear(true),
      { root: place.current.closest('.scroll'), rootMargin: '240px 0px' },
    )
    watch.observe(place.current)
    return () => watch.disconnect()
  }, [isNear, place])
  return isNear
}

function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}
