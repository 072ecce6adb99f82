/** Where the overview leads next: sessions over time, and the comparisons that the incident allows. */
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from 'react-router'
import type { Overview } from '@/api/schema'
import { choicesQuery } from '@/api/queries'
import { presets, type Side, sidesCodec } from '@/state/sides'
import { sharedSearch } from '@/state/url'

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
      {presets(choices.data).map(({ name, sides }) => (
        <Link key={name} to={`${base}/compare?${sidesInAddress(sides)}${shared}`}>
          Compare {name.toLowerCase()}
        </Link>
      ))}
    </nav>
  )
}

const sidesInAddress = (sides: readonly Side[]) =>
  new URLSearchParams(sidesCodec.write(sides).map((side) => ['side', side])).toString()
