/**
 * The raw text between its sections and its records: numbered lines of a file of any length, a margin
 * that shows what was understood, a range of lines to pin and link, search.
 * ?line=&to= is the range; #L100-L140 at the end of an address is equivalent.
 */
import { useQuery } from '@tanstack/react-query'
import {
  type KeyboardEvent,
  type MouseEvent,
  useCallback,
  useEffect,
  useMemo,
  useState,
} from 'react'
import { useLocation, useNavigate } from 'react-router'
import type { Artifact, ArtifactDetail, RecordRow } from '@/api/schema'
import { number, text, useUrlChange, useUrlState } from '@/state/url'
import { EmptyState, Problem } from '@/ui/display/States'
import { linesOfHash, marginMarks, selectionAfter, troubleLines } from './lines'
import { LinePiece } from './LinePiece'
import { LongList, type Target } from '../longlist/LongList'
import { RawLineRow } from './RawLineRow'
import { RawTools } from './RawTools'
import { Records } from '../records/Records'
import { Ruler } from './Ruler'
import { SearchHits } from './SearchHits'
import { Sections } from './Sections'
import { SelectedLines } from './SelectedLines'
import { useRawLines } from '../queries'
import { recordsAtQuery } from '../records/recordQueries'
import { isMoving, stateWords } from '../state'

const LINE_PX = 18
const SETTLE_MS = 50

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
  const [record] = useUrlState('record', text, '')
  const [words] = useUrlState('find', text, '')
  const last = to >= line ? to : line
  const change = useUrlChange()
  useHashAsLines()

  const { seen, range, top, onSeen } = useSeenLines(line)
  const isArchive = artifact.format === 'archive'
  const pages = useRawLines(artifact.id, seen[0], seen[1], { enabled: !isArchive })
  const total = pages.total ?? 0
  const [target, setTarget] = useState<Target | null>(line > 0 ? { row: line - 1 } : null)
  const [piece, setPiece] = useState(0)

  // A link or another part of the app selected other lines: scroll there.
  const [shown, setShown] = useState(line)
  if (shown !== line) {
    setShown(line)
    if (line > 0) setTarget({ row: line - 1 })
  }

  const choose = (first: number, end: number, chosen: RecordRow | null = null) =>
    change({
      line: first > 0 ? [String(first)] : [],
      to: end > first ? [String(end)] : [],
      record: chosen ? [`${chosen.kind}:${chosen.index}`] : [],
    })
  const goTo = (first: number, end = first) => {
    choose(first, end)
    setTarget({ row: first - 1 })
  }
  const at = useQuery(recordsAtQuery(artifact.id, artifact.parser_version, line, last))
  const named = namedRecord(record, line, last)
  const current = line > 0 ? (named ?? at.data?.items[0] ?? null) : null

  const marks = useMemo(() => marginMarks(detail), [detail])
  const spots = useMemo(() => troubleLines(detail), [detail])
  const onLine = (event: MouseEvent, clicked: number) => {
    const next = selectionAfter({ first: line, last }, clicked, event.shiftKey)
    choose(next.first, next.last)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { j: 1, k: -1 }[event.key.toLowerCase()]
    if (!step || event.ctrlKey || event.metaKey || event.altKey || total === 0) return
    event.preventDefault()
    if (event.shiftKey && line > 0) {
      const end = Math.min(total, Math.max(line, last + step))
      choose(line, end)
      setTarget({ row: end - 1 })
      return
    }
    const from = line > 0 ? (step > 0 ? last : line) : top
    goTo(Math.min(total, Math.max(1, from + step)))
  }

  const hasLines = !isArchive && (!pages.error || pages.total) && pages.total !== 0
  if (!hasLines) return <NoLines artifact={artifact} error={pages.error} />
  return (
    <div className="raw">
      <Sections
        detail={detail}
        current={line > 0 && line > top && line <= range[1] + 1 ? line - 4 : top + 1}
        onGo={(section) => goTo(section.line_first)}
      />
      <div className="raw-main">
        <RawTools artifactId={artifact.id} total={total} line={line} spots={spots} onGo={goTo} />
        {words.length >= 2 && (
          <SearchHits artifactId={artifact.id} words={words} current={line} onGo={goTo} />
        )}
        <div className="raw-body">
          <LongList
            count={total}
            rowPx={LINE_PX}
            label={`Raw text of ${artifact.name}`}
            className="raw-text"
            target={target}
            onSeen={onSeen}
            onKeyDown={onKeyDown}
            row={(index, style) => (
              <RawLineRow
                key={index}
                style={style}
                line={index + 1}
                found={pages.lineAt(index + 1)}
                mark={marks(index + 1)}
                chosen={line > 0 && index + 1 >= line && index + 1 <= last}
                ofRecord={
                  current !== null &&
                  index + 1 >= current.line_first &&
                  index + 1 <= current.line_last
                }
                words={words}
                onLine={onLine}
                onMore={setPiece}
              />
            )}
          />
          <Ruler detail={detail} total={total} onGo={goTo} />
        </div>
        {piece > 0 && (
          <LinePiece
            key={piece}
            artifactId={artifact.id}
            line={piece}
            onClose={() => setPiece(0)}
          />
        )}
        <SelectedLines
          incidentId={incidentId}
          artifact={artifact}
          detail={detail}
          line={line}
          last={last}
          total={total}
          lineAt={pages.lineAt}
        />
      </div>
      <Records
        artifact={artifact}
        current={current}
        chosenLine={line}
        others={at.data?.items ?? []}
        onChoose={(chosen) => {
          choose(chosen.line_first, chosen.line_last, chosen)
          setTarget({ row: chosen.line_first - 1 })
        }}
      />
    </div>
  )
}

/** Track the visible lines (`range`) and those to load, only where the scrollbar rests. */
function useSeenLines(line: number) {
  const [seen, setSeen] = useState<readonly [number, number]>([Math.max(1, line - 40), line + 80])
  const [range, setRange] = useState<readonly [number, number]>([0, 0])
  const onSeen = useCallback((first: number, end: number) => setRange([first, end]), [])
  useEffect(() => {
    if (range[1] <= 0) return
    const timer = setTimeout(() => setSeen([Math.max(1, range[0] - 60), range[1] + 60]), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [range])
  return { seen, range, top: range[0], onSeen }
}

/** Parse the record of the address ("kind:index"), at the selected lines. */
function namedRecord(name: string, line: number, last: number): RecordRow | null {
  const [kind = '', index = ''] = name.split(':')
  if (!kind || !/^\d+$/.test(index)) return null
  return { kind, index: Number(index), line_first: line, line_last: last, text: '' }
}

/** The reason for no lines: an archive, not parsed yet, failed, or empty. */
function NoLines({ artifact, error }: { readonly artifact: Artifact; readonly error: unknown }) {
  if (artifact.format === 'archive')
    return (
      <EmptyState compact title="An archive has no lines">
        {artifact.state === 'failed'
          ? 'It could not be unpacked. Unpack it and upload its files.'
          : artifact.problems > 0
            ? 'It could not be unpacked completely; see the parse receipt. The unpacked files are below it in the list.'
            : 'Its files are below it in the list.'}
      </EmptyState>
    )
  if (error && isMoving(artifact.state))
    return (
      <EmptyState compact title="Not parsed yet">
        The file is {stateWords(artifact.state)}. Its lines appear automatically.
      </EmptyState>
    )
  if (error) return <Problem error={error} what="The raw text could not be read" />
  return <EmptyState compact title="The file is empty" />
}

/** Replace #L100-L140 by ?line=100&to=140, which the rest of the screen reads. */
function useHashAsLines() {
  const { pathname, search, hash } = useLocation()
  const navigate = useNavigate()
  useEffect(() => {
    const lines = linesOfHash(hash)
    if (!lines) return
    const params = new URLSearchParams(search)
    params.set('line', String(lines.first))
    if (lines.last > lines.first) params.set('to', String(lines.last))
    else params.delete('to')
    params.delete('record')
    params.delete('tab')
    void navigate({ pathname, search: `?${params.toString()}`, hash: '' }, { replace: true })
  }, [hash, pathname, search, navigate])
}
