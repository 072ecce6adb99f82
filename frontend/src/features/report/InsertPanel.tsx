/** The panel that inserts live blocks and pins into the text. */
import { useState } from 'react'
import type { Insertable } from './queries'

const GROUPS: readonly (readonly [Insertable['kind'], string])[] = [
  ['figure', 'Figures'],
  ['table', 'Tables'],
  ['pin', 'Pins'],
]

export function InsertPanel({
  all,
  onInsert,
}: {
  readonly all: readonly Insertable[]
  readonly onInsert: (item: Insertable) => void
}) {
  const [sought, setSought] = useState('')
  const words = sought.trim().toLowerCase()
  const found = all.filter((item) => `${item.title} ${item.detail}`.toLowerCase().includes(words))
  return (
    <div className="report-insert">
      <input
        type="search"
        className="input"
        aria-label="Find something to insert"
        placeholder="Find a pin or a figure"
        value={sought}
        onChange={(event) => setSought(event.target.value)}
      />
      {GROUPS.map(([kind, title]) => {
        const ofKind = found.filter((item) => item.kind === kind)
        return (
          <section key={kind}>
            <h3>{title}</h3>
            {ofKind.length === 0 && (
              <p className="muted">
                {kind === 'pin' && !words
                  ? 'No pin yet: press p on a lane, a node or a line.'
                  : 'No match.'}
              </p>
            )}
            <ul>
              {ofKind.map((item) => (
                <li key={item.text}>
                  <button
                    type="button"
                    className="report-insertable"
                    onClick={() => onInsert(item)}
                  >
                    <span>{item.title}</span>
                    <span className="faint">{item.detail}</span>
                  </button>
                </li>
              ))}
            </ul>
          </section>
        )
      })}
    </div>
  )
}
