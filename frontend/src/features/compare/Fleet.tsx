/** Which of many hosts differ from the others, by their series and settings. */
import { useQuery } from '@tanstack/react-query'
import { EmptyState, Problem, SkeletonRows } from '@/ui/display/States'
import { fleetQuery } from './queries'

export function Fleet({ incidentId }: { readonly incidentId: string }) {
  const fleet = useQuery(fleetQuery(incidentId))
  if (fleet.isLoadingError)
    return <Problem compact error={fleet.error} what="The hosts could not be compared" />
  if (!fleet.data) return <SkeletonRows rows={6} />
  const { hosts, differing, text } = fleet.data
  if (hosts.length < 3) return <EmptyState compact title={text} />
  return (
    <div className="fleet scroll">
      <p className="fleet-sum">{text}</p>
      {differing.map((item) => (
        <section key={item.host}>
          <h3 className="mono">{item.host}</h3>
          <ul>
            {item.settings.map((setting) => (
              <li key={setting.name}>
                <span className="mono">{setting.name}</span> is{' '}
                <span className="mono">{setting.host_value}</span>, elsewhere{' '}
                <span className="mono">{setting.fleet_value}</span>
              </li>
            ))}
            {item.series.map((series) => (
              <li key={series.series + series.labels}>{series.text}</li>
            ))}
          </ul>
          {item.moved > item.series.length && (
            <p className="faint">and {item.moved - item.series.length} more series.</p>
          )}
        </section>
      ))}
    </div>
  )
}
