/** The toolbar of the raw text: search, go to line, step through problems. */
import { useState } from 'react'
import { number, text, useUrlState } from '@/state/url'
import { Button, IconButton } from '@/ui/controls/Button'
import { SearchInput } from '@/ui/controls/SearchInput'
import { nextLineAround } from './lines'
import { nextHit } from '../queries'

export function RawTools({
  artifactId,
  total,
  line,
  spots,
  onGo,
}: {
  readonly artifactId: string
  readonly total: number
  readonly line: number
  /** Lines of problems and skipped ranges, in order. */
  readonly spots: readonly number[]
  readonly onGo: (line: number) => void
}) {
  const [words, setWords] = useUrlState('find', text, '')
  const [searching, setSearching] = useState(false)
  const step = async (way: 1 | -1) => {
    if (words.length < 2 || searching) return
    setSearching(true)
    try {
      const value = await nextHit(artifactId, words, line, way)
      if (value !== null) onGo(value)
    } catch {
      // The list of hits below shows the error.
    } finally {
      setSearching(false)
    }
  }
  const goSpot = (way: 1 | -1) => {
    const value = nextLineAround(spots, line, way)
    if (value !== null) onGo(value)
  }
  const place = spots.indexOf(line)
  return (
    <div className="raw-tools">
      <SearchInput
        className="input raw-search"
        aria-label="Search in the raw text"
        placeholder="Search in the raw text"
        value={words}
        onSearch={setWords}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          void step(event.shiftKey ? -1 : 1)
        }}
      />
      <IconButton
        size="small"
        label="Previous hit (Shift+Enter)"
        icon={<span aria-hidden="true">↑</span>}
        disabled={words.length < 2 || searching}
        onClick={() => void step(-1)}
      />
      <IconButton
        size="small"
        label="Next hit (Enter)"
        icon={<span aria-hidden="true">↓</span>}
        disabled={words.length < 2 || searching}
        onClick={() => void step(1)}
      />
      <span className="raw-space" />
      {spots.length > 0 && (
        <span className="raw-spots" role="group" aria-label="Problems and skipped ranges">
          <Button
            size="small"
            variant="ghost"
            onClick={() => goSpot(-1)}
            aria-label="Previous problem"
          >
            ‹
          </Button>
          <span className="raw-spots-count">
            {place >= 0 ? `${place + 1} of ` : ''}
            {spots.length} {spots.length === 1 ? 'problem' : 'problems'}
          </span>
          <Button size="small" variant="ghost" onClick={() => goSpot(1)} aria-label="Next problem">
            ›
          </Button>
        </span>
      )}
      <GoToLine total={total} onGo={onGo} />
    </div>
  )
}

function GoToLine({
  total,
  onGo,
}: {
  readonly total: number
  readonly onGo: (line: number) => void
}) {
  const [typed, setTyped] = useState('')
  const wanted = number.read([typed.replace(/[\s.,_]/g, '')])
  const valid = wanted !== undefined && Number.isInteger(wanted) && wanted >= 1
  return (
    <form
      className="raw-goto"
      onSubmit={(event) => {
        event.preventDefault()
        // Before the first lines are here, the number of lines is not known.
        if (valid) onGo(total > 0 ? Math.min(total, wanted) : wanted)
      }}
    >
      <input
        className="input"
        inputMode="numeric"
        aria-label="Go to line"
        placeholder="Go to line"
        aria-invalid={typed !== '' && !valid}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </form>
  )
}
