/** Questions that the analysis could not answer, where their answer would be. */
import type { Overview } from '@/api/schema'

type Item = Overview['unanswered'][number]

const partOf = ({ part }: Item) => part.split('/')[0] ?? ''

/** Those about some parts of the document; one about a single finding or check counts. */
export const unansweredOf = (
  { unanswered }: Pick<Overview, 'unanswered'>,
  parts: readonly string[],
): readonly Item[] => unanswered.filter((item) => parts.includes(partOf(item)))

export function Unanswered({ items }: { readonly items: readonly Item[] }) {
  if (items.length === 0) return null
  return (
    <ul className="unanswered" aria-label="Not answered">
      {items.map((item) => (
        <li key={item.part}>
          <strong>Could not be answered</strong>
          {item.part.includes('/') && ` (${item.part.split('/').slice(1).join('/')})`}: {item.why}
        </li>
      ))}
    </ul>
  )
}
