/** Questions that the analysis could not answer, where their answer would be. */
import { useQuery } from '@tanstack/react-query'
import { overviewQuery } from '@/api/queries'
import type { Overview } from '@/api/schema'
import { Banner } from '@/ui/display/States'

type Item = Overview['unanswered'][number]

/** Parts of the analysis that screens draw, as the subject of a sentence. */
const SUBJECTS = {
  blocked_time: 'The blocked time',
  blockers: 'The blockers',
  captures: 'The captures',
  events: 'The events',
  hot_latches: 'The latches',
  hot_stacks: 'The most frequent stacks',
  hot_waits: 'The most frequent waits',
  roots: 'The root blockers',
  series: 'The series',
  settings: 'The server settings',
  stalls: 'The stalls',
  table_changes: 'The changes of tables',
  tables: 'The tables',
  waits: 'The waits and blockers',
} as const

type DrawnPart = keyof typeof SUBJECTS

const partOf = ({ part }: Item) => part.split('/')[0] ?? ''

/** Those about some parts of the document; one about a single finding or check counts. */
export const unansweredOf = (
  { unanswered }: Pick<Overview, 'unanswered'>,
  parts: readonly string[],
): readonly Item[] => unanswered.filter((item) => parts.includes(partOf(item)))

/** The list inside a section. */
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

/** The banners of a screen that draws some parts; nothing while the overview is unknown. */
export function MissingAnswers({
  incidentId,
  parts,
}: {
  readonly incidentId: string
  readonly parts: readonly DrawnPart[]
}) {
  const { data } = useQuery(overviewQuery(incidentId))
  const missing = parts.flatMap((part) => {
    const why = data?.unanswered.find((item) => partOf(item) === part)?.why
    return why === undefined ? [] : [{ part, why }]
  })
  return missing.map(({ part, why }) => (
    <Banner key={part}>
      {SUBJECTS[part]} could not be determined: {why}
    </Banner>
  ))
}
