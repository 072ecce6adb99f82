/** Hits of a search in one artifact; a hit goes to its line. */
import { useDeferredValue } from 'react'
import { cx } from '@/ui/cx'
import { Problem } from '@/ui/States'
import { useRawSearch } from './queries'

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
  const search = useRawSearch(artifactId, useDeferredValue(words))
  if (search.error) return <Problem compact error={search.error} what="The search failed" />
  if (!search.data) return <div className="hits-note">Searching…</div>
  const { hits, more } = search.data
  if (hits.length === 0) return <div className="hits-note">No line holds “{words}”.</div>
  return (
    <div className="hits">
      <div className="hits-note" role="status">
        {more ? `The first ${hits.length} lines` : `${hits.length} lines`}
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
              <span className="ellipsis">{hit.text}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
