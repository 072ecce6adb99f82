/**
 * The raw text with line numbers: virtual scroll over pages, sections on the left, a margin that
 * says what was understood, selection of lines that can be pinned and linked, search.
 */
import { useVirtualizer } from '@tanstack/react-virtual'
import { type MouseEvent, useEffect, useMemo, useRef, useState } from 'react'
import type { Artifact, ArtifactDetail } from '@/api/schema'
import { number, text, useUrlChange, useUrlState } from '@/state/url'
import { CopyButton } from '@/ui/CopyButton'
import { cx } from '@/ui/cx'
import { PinButton } from '@/ui/pin'
import { EmptyState, Problem } from '@/ui/States'
import { marginMarks, selectionAfter } from './lines'
import { PAGE_LINES, useRawLines } from './queries'
import { SearchHits } from './SearchHits'
import { Sections } from './Sections'

const LINE_PX = 18

export function RawView({
  incidentId,
  artifact,
  detail,
}: {
  readonly incidentId: string
  readonly artifact: Artifact
  readonly detail: ArtifactDetail | undefined
}) {
  const [line] = useUrlState('line', number, 0)
  const [to] = useUrlState('to', number, 0)
  const [words, setWords] = useUrlState('find', text, '')
  const change = useUrlChange()
  const scroller = useRef<HTMLDivElement>(null)
  const [seen, setSeen] = useState<[number, number]>([Math.max(1, line - 40), line + 80])
  const pages = useRawLines(artifact.id, seen[0], seen[1])
  const total = pages.total ?? 0
  const virtualizer = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_PX,
    overscan: 20,
  })
  const visible = virtualizer.getVirtualItems()
  const top = visible[0]?.index ?? 0
  const bottom = visible.at(-1)?.index ?? 0

  useEffect(() => {
    if (bottom > 0) setSeen([Math.max(1, top + 1 - 60), Math.min(total, bottom + 1 + 60)])
  }, [top, bottom, total])

  // A deep link, a section or a hit: bring the line to the upper third, once it can be.
  const went = useRef(0)
  useEffect(() => {
    if (!total || !line || went.current === line) return
    went.current = line
    virtualizer.scrollToIndex(Math.min(total, Math.max(1, line - 4)) - 1, { align: 'start' })
  }, [line, total, virtualizer])

  const marks = useMemo(() => marginMarks(detail), [detail])
  const last = to >= line ? to : line
  const choose = (first: number, end: number) => {
    went.current = first
    change({ line: first ? [String(first)] : [], to: end > first ? [String(end)] : [] })
  }
  const goTo = (first: number, end?: number) => {
    went.current = 0
    change({ line: [String(first)], to: end && end > first ? [String(end)] : [] })
  }
  const onLine = (event: MouseEvent, at: number) => {
    const next = selectionAfter({ first: line, last }, at, event.shiftKey)
    choose(next.first, next.last)
  }

  if (pages.error && !pages.total)
    return <Problem error={pages.error} what="The raw text could not be read" />
  if (pages.total === 0) return <EmptyState compact title="The file is empty" />
  return (
    <div className="raw">
      <Sections
        sections={detail?.sections ?? []}
        current={top + 1}
        onGo={(section) => goTo(section.line_first)}
      />
      <div className="raw-main">
        <div className="raw-tools">
          <input
            className="input raw-search"
            type="search"
            aria-label="Search in the raw text"
            placeholder="Search in the raw text"
            value={words}
            onChange={(event) => setWords(event.target.value)}
          />
          <span className="raw-where">
            {line ? (
              <>
                {last > line ? `lines ${line}–${last}` : `line ${line}`}{' '}
                <span className="faint">of {total}</span>
              </>
            ) : (
              <span className="faint">{total} lines · click a number, Shift for a range</span>
            )}
          </span>
          {line > 0 && (
            <>
              <CopyButton text={() => linesText(pages.lineAt, line, last)}>Copy</CopyButton>
              <PinButton
                incidentId={incidentId}
                pin={() => ({
                  kind: 'lines',
                  title: pinTitle(artifact, line, last, pages.lineAt(line)?.text),
                  locator: {
                    artifact: artifact.sha256,
                    path: artifact.path,
                    line_first: line,
                    line_last: last,
                  },
                })}
              />
            </>
          )}
        </div>
        {words.length >= 2 && (
          <SearchHits artifactId={artifact.id} words={words} current={line} onGo={goTo} />
        )}
        <div
          ref={scroller}
          className="raw-text scroll"
          tabIndex={0}
          role="region"
          aria-label={`Raw text of ${artifact.name}`}
        >
          <div className="raw-lines" style={{ height: virtualizer.getTotalSize() }}>
            {visible.map((item) => {
              const at = item.index + 1
              const found = pages.lineAt(at)
              const mark = marks(at)
              return (
                <div
                  key={at}
                  className={cx(
                    'raw-line',
                    at >= line && at <= last && line > 0 && 'raw-chosen',
                    mark && `raw-${mark}`,
                  )}
                  style={{ transform: `translateY(${item.start}px)` }}
                >
                  <button
                    type="button"
                    className="raw-number"
                    tabIndex={-1}
                    aria-label={`Line ${at}`}
                    onClick={(event) => onLine(event, at)}
                  >
                    {at}
                  </button>
                  <span className="raw-content">
                    {found ? highlight(found.text, words) : ' '}
                    {found?.cut && <span className="raw-cut">… cut at 4000 characters</span>}
                  </span>
                </div>
              )
            })}
          </div>
        </div>
      </div>
    </div>
  )
}

function highlight(line: string, words: string) {
  if (words.length < 2) return line
  const parts: (string | React.JSX.Element)[] = []
  const low = line.toLowerCase()
  const want = words.toLowerCase()
  let from = 0
  for (let at = low.indexOf(want); at >= 0; at = low.indexOf(want, from)) {
    parts.push(line.slice(from, at), <mark key={at}>{line.slice(at, at + want.length)}</mark>)
    from = at + want.length
  }
  parts.push(line.slice(from))
  return parts
}

function linesText(
  lineAt: (line: number) => { readonly text: string } | null,
  first: number,
  last: number,
): string {
  const most = Math.min(last, first + PAGE_LINES)
  const lines: string[] = []
  for (let at = first; at <= most; at += 1) lines.push(lineAt(at)?.text ?? '')
  return lines.join('\n')
}

function pinTitle(artifact: Artifact, first: number, last: number, line: string | undefined) {
  const where = last > first ? `lines ${first}–${last}` : `line ${first}`
  const said = line?.trim().slice(0, 120)
  return said ? said : `${artifact.name}, ${where}`
}
