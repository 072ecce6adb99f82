/** Results of the artifacts of a run: levels of its series, and settings that differ. */
import { Fragment } from 'react'
import { formatMeasured } from '@/format'
import type { Observed } from './queries'
import { spread, summarise } from './sweep'

/** The table of series levels in the incident and in the run, with spread and samples. */
export function Levels({ levels }: { levels: Observed['levels'] }) {
  const known = levels.filter((level) => level.run ?? level.incident)
  if (known.length === 0) return null
  return (
    <table className="experiment-levels" aria-label="Series in the incident and in the run">
      <thead>
        <tr>
          <th scope="col" title="median ± median absolute deviation">
            incident
          </th>
          <th scope="col">run</th>
          <th scope="col">ratio</th>
        </tr>
      </thead>
      <tbody>
        {known.map((level) => (
          <Fragment key={level.series}>
            <tr>
              <th scope="rowgroup" colSpan={3} className="mono">
                {level.series}
              </th>
            </tr>
            <tr>
              <td className="num">{spread(summarise([level.incident]))}</td>
              <td className="num">{spread(summarise([level.run]))}</td>
              <td className="num">
                {level.ratio === null ? '–' : `× ${formatMeasured(level.ratio)}`}
              </td>
            </tr>
          </Fragment>
        ))}
      </tbody>
    </table>
  )
}

const NAMED = 5

/** The list of settings that differ from the incident, to verify the change. */
export function ChangedSettings({ settings }: { settings: Observed['settings'] }) {
  if (settings.length === 0) return null
  const more = settings.length - NAMED
  return (
    <div>
      <p className="muted">Settings that differ from the incident:</p>
      <ul>
        {settings.slice(0, NAMED).map((setting) => (
          <li key={setting.name} className="mono">
            {setting.name}: {setting.a} → {setting.b}
          </li>
        ))}
        {more > 0 && <li className="faint">{more} more: compare the run on the Compare screen</li>}
      </ul>
    </div>
  )
}
