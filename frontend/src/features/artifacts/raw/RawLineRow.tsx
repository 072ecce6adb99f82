/** One line of the raw text: number, margin, text that cannot hide anything. */
import type { MouseEvent } from 'react'
import { formatNumber } from '@/format'
import { cx } from '@/ui/controls/cx'
import type { Mark } from './lines'
import { visibleParts } from './visibleText'
import type { RawLine } from '../queries'

const SAID: Record<Mark | 'understood', string> = {
  understood: 'understood',
  skipped: 'skipped: not understood',
  problem: 'a problem was noted here',
}

export function RawLineRow({
  line,
  found,
  mark,
  chosen,
  ofRecord,
  words,
  style,
  onLine,
  onMore,
}: {
  readonly line: number
  /** Null until its page is here. */
  readonly found: RawLine | null
  readonly mark: Mark | null
  readonly chosen: boolean
  readonly ofRecord: boolean
  readonly words: string
  readonly style: { readonly transform: string }
  readonly onLine: (event: MouseEvent, line: number) => void
  readonly onMore: (line: number) => void
}) {
  const name = mark ?? 'understood'
  return (
    <div
      className={cx('raw-line', chosen && 'raw-chosen', ofRecord && 'raw-record', `raw-${name}`)}
      style={style}
    >
      <button
        type="button"
        className="raw-number"
        tabIndex={-1}
        aria-label={`Line ${line}${mark ? `, ${SAID[mark]}` : ''}`}
        aria-pressed={chosen}
        title={`Line ${line}: ${SAID[name]}. Shift for a range.`}
        onClick={(event) => onLine(event, line)}
      >
        {line}
      </button>
      <span className="raw-content">
        {found ? <Content text={found.text} words={words} /> : ' '}
        {found?.cut && (
          <button type="button" className="raw-cut" onClick={() => onMore(line)}>
            … {formatNumber(found.cut.bytes - found.cut.shown, 0)} bytes more: show more
          </button>
        )}
      </span>
    </div>
  )
}

/** Text with its hits marked and its control characters told. */
export function Content({ text, words }: { readonly text: string; readonly words: string }) {
  return visibleParts(text).map((part, index) =>
    part.control ? (
      <span key={index} className="raw-control">
        {part.text}
      </span>
    ) : (
      <span key={index}>{highlight(part.text, words)}</span>
    ),
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
