/** The view of a line that is too long for its row: wrapped, some kilobytes at a time. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { formatNumber } from '@/format'
import { Button, IconButton } from '@/ui/controls/Button'
import { CloseIcon } from '@/ui/controls/icons'
import { Problem } from '@/ui/display/States'
import { Content } from './RawLineRow'
import { pieceQuery } from '../queries'

export function LinePiece({
  artifactId,
  line,
  onClose,
}: {
  readonly artifactId: string
  readonly line: number
  readonly onClose: () => void
}) {
  // Start of each piece, so that going back does not depend on the width of characters.
  const [starts, setStarts] = useState<readonly number[]>([0])
  const piece = useQuery(pieceQuery(artifactId, line, starts.at(-1) ?? 0))
  const { data } = piece
  return (
    <section className="piece" aria-label={`Line ${line} in pieces`}>
      <header className="piece-head">
        <span>
          Line {line}
          {data && (
            <span className="faint">
              {' '}
              bytes {formatNumber(data.first, 0)} to {formatNumber(data.end, 0)} of{' '}
              {formatNumber(data.bytes, 0)}
            </span>
          )}
        </span>
        <span className="raw-space" />
        <Button
          size="small"
          disabled={starts.length < 2}
          onClick={() => setStarts(starts.slice(0, -1))}
        >
          Show less
        </Button>
        <Button
          size="small"
          disabled={!data || data.end >= data.bytes || piece.isPlaceholderData}
          onClick={() => data && setStarts([...starts, data.end])}
        >
          Show more
        </Button>
        <IconButton size="small" label="Close the line" icon={<CloseIcon />} onClick={onClose} />
      </header>
      {piece.error ? (
        <Problem compact error={piece.error} what="The line could not be read" />
      ) : (
        <div
          className="piece-text mono scroll"
          tabIndex={0}
          role="region"
          aria-label="Text of the line"
        >
          {data && <Content text={data.text} words="" />}
        </div>
      )}
    </section>
  )
}
