/** Which of many hosts differ from the others, by their series and settings. */
import { useQuery } from '@tanstack/react-query'
import { EmptyState, Problem, SkeletonRows } from '@/ui/display/States'
import { fleetQuery } from './queries'

export function Fleet({ incidentId }: { readonly incidentId: string }) {
  const fleet = useQuery(fleetQuery(incidentId))
  if (fleet.isLoadingError)
    return <Problem compact error={fleet.error} what="The hosts were not compared" />
  if (!fleet.data) return <SkeletonRows rows={6} />
  const { hosts, differing, text } = fleet.data
  if (hosts.length < 3) return <EmptyState compact title={text} />
  return (
    <div className="fleet scroll">
      <p className="fleet-sum">{text}</p>
      {differing.map((one) => (
        <section key={one.host}>
          <h3 className="mono">{one.host}</h3>
          <ul>
            {one.settings.map((setting) => (
              <li key={setting.name}>
                <span className="mono">{setting.name}</span> is{' '}
                <span className="mono">{setting.host_value}</span>, elsewhere{' '}
                <span className="mono">{setting.fleet_value}</span>
              </li>
            ))}
            {one.series.map((series) => (
              <li key={series.series + series.labels}>{series.text}</li>
            ))}
          </ul>
          {one.moved > one.series.length && (
            <p className="faint">and {one.moved - one.series.length} more series.</p>
          )}
        </section>
      ))}
    </div>
  )
}
