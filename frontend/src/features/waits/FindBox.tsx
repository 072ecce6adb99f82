/** Finds a thread, a session, a transaction or words, also inside folded groups. */
import { useState } from 'react'

export function FindBox({
  words,
  found,
  selected,
  onFind,
  onSelect,
}: {
  readonly words: string
  /** Ids of the matches; null without a search. */
  readonly found: readonly string[] | null
  readonly selected: string
  readonly onFind: (words: string) => void
  readonly onSelect: (id: string) => void
}) {
  const [typed, setTyped] = useState(words)
  const next = () => {
    if (!found?.length) return
    const at = found.indexOf(selected)
    onSelect(found[(at + 1) % found.length] ?? '')
  }
  return (
    <form
      className="waits-find"
      role="search"
      onSubmit={(event) => {
        event.preventDefault()
        if (typed.trim() === words && words) next()
        else onFind(typed.trim())
      }}
    >
      <input
        className="input"
        type="search"
        placeholder="Find in the graph"
        aria-label="Find a thread, a session, a transaction or words"
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value)
          if (event.target.value === '' && words) onFind('')
        }}
      />
      {found !== null && (
        <span className="muted" role="status">
          {found.length === 50 ? '50 or more' : found.length} found
        </span>
      )}
    </form>
  )
}
