/** The search hits in one artifact, with links to their lines; the server searches in steps. */
import { formatCount } from '@/format'
import { useDeferredValue } from 'react'
import { Button } from '@/ui/controls/Button'
import { cx } from '@/ui/controls/cx'
import { Problem } from '@/ui/display/States'
import { Content } from './RawLineRow'
import { useRawSearch } from '../queries'

export function SearchHits({
  artifactId,
  words,
  current,
  onGo,
}: {
  readonly artifactId: string
  readonly words: string
  readonly current: number
  readonly onGo: (line: number) => void
}) {
  const wanted = useDeferredValue(words)
  const search = useRawSearch(artifactId, wanted)
  const { hits } = search
  if (search.error) return <Problem compact error={search.error} what="The search failed" />
  if (hits.length === 0)
    return (
      <div className="hits-note" role="status">
        {search.isFetching || search.hasNextPage ? 'Searching…' : `No line contains “${words}”.`}
      </div>
    )
  return (
    <div className="hits">
      <div className="hits-note" role="status">
        {search.hasNextPage ? `The first ${hits.length} lines` : formatCount(hits.length, 'line')}
        {search.hasNextPage && (
          <Button
            size="small"
            variant="ghost"
            busy={search.isFetching}
            onClick={() => void search.fetchNextPage()}
          >
            Find more
          </Button>
        )}
      </div>
      <ul className="hits-list scroll">
        {hits.map((hit) => (
          <li key={hit.line}>
            <button
              type="button"
              className={cx('hit mono', hit.line === current && 'hit-here')}
              onClick={() => onGo(hit.line)}
            >
              <span className="hit-line">{hit.line}</span>
              <span className="ellipsis">
                <Content text={hit.text} words={wanted} />
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
