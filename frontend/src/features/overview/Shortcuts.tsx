/** Where the overview leads next: sessions over time, and the comparisons that the incident allows. */
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from 'react-router'
import type { Overview } from '@/api/schema'
import { sharedSearch } from '@/state/url'
import { choicesQuery, type CompareChoices } from './queries'

/** The server compares no more sides at once. */
const MOST_SIDES = 6

export function Shortcuts({ overview }: { readonly overview: Overview }) {
  const { search } = useLocation()
  const choices = useQuery({
    ...choicesQuery(overview.incident.id),
    enabled: overview.headline !== null,
  })
  if (!choices.data) return null
  const base = `/incidents/${overview.incident.id}`
  const shared = sharedSearch(search).replace(/^\?/, '&')
  return (
    <nav className="shortcuts" aria-label="Look closer">
      <Link to={`${base}/tables?tab=sessions${shared}`}>Sessions by statement and state</Link>
      {comparisons(choices.data).map(({ name, sides }) => (
        <Link key={name} to={`${base}/compare?${sidesInAddress(sides)}${shared}`}>
          {name}
        </Link>
      ))}
    </nav>
  )
}

/** The comparisons of more than one side, as the Compare screen writes them in its address. */
export function comparisons(choices: CompareChoices): { name: string; sides: string[] }[] {
  const stalls = choices.captures.flatMap((capture) => capture.stalls)
  const captures =
    stalls.length > 1
      ? stalls.map((stall) => `stall||||${stall.id}`)
      : choices.captures.map((capture) => `whole||||${capture.id}`)
  const runs = choices.runs.map((run) => `whole|||||${run.id}`)
  const incident = choices.has_stall ? 'stall' : 'whole'
  const [captured, run] = [stalls.length > 1 ? 'stalls' : 'captures', 'Compare the runs']
  return [
    { name: 'Compare with the baseline', sides: ['baseline', 'stall'] },
    { name: `Compare the ${captured}, aligned at the onset`, sides: captures },
    { name: 'Compare with the runs', sides: runs.length > 0 ? [incident, ...runs] : [] },
    { name: run, sides: runs },
  ]
    .filter(({ sides }, index) =>
      index === 0 ? choices.has_stall && choices.has_baseline : sides.length > 1,
    )
    .map(({ name, sides }) => ({ name, sides: sides.slice(0, MOST_SIDES) }))
}

const sidesInAddress = (sides: readonly string[]) =>
  new URLSearchParams(sides.map((side) => ['side', side])).toString()
