/** One line of the raw text: number, margin, and text with visible control characters. */
import type { MouseEvent } from 'react'
import { formatNumber } from '@/format'
import { cx } from '@/ui/controls/cx'
import type { Mark } from './lines'
import { visibleParts } from './visibleText'
import type { RawLine } from '../queries'

const MARK_LABELS: Record<Mark | 'understood', string> = {
  understood: 'understood',
  skipped: 'skipped: not understood',
  problem: 'problem on this line',
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
  /** The line; null until its page is loaded. */
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
        aria-label={`Line ${line}${mark ? `, ${MARK_LABELS[mark]}` : ''}`}
        aria-pressed={chosen}
        title={`Line ${line}: ${MARK_LABELS[name]}. Shift for a range.`}
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

/** The text with highlighted search hits and visible control characters. */
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
