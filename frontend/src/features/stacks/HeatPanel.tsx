/** Functions by samples: on how many threads each was; drag over columns to take a range. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import { formatCount } from '@/format'
import { useRange, useZone } from '@/state/incident'
import { Button } from '@/ui/controls/Button'
import { ExportMenu } from '@/ui/controls/ExportMenu'
import { HeatLegend } from '@/ui/display/HeatLegend'
import { type Heat, heatRows, heatSvg, shade } from './heatDrawing'

const SHOWN = 12
/** As many samples have their time written above them. */
const TIMED = 12

const heatQuery = (id: string, idle: boolean) =>
  queryOptions({
    queryKey: keys.of(id, 'stacks', 'heat', idle),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/stacks/heat', {
          params: { path: { incident_id: id }, query: { idle } },
        }),
      ),
  })

export function HeatPanel({
  incidentId,
  idle,
}: {
  readonly incidentId: string
  readonly idle: boolean
}) {
  const heat = useQuery(heatQuery(incidentId, idle))
  const zone = useZone()
  const [range, setRange] = useRange()
  const [drag, setDrag] = useState<readonly [number, number] | null>(null)
  const [all, setAll] = useState(false)
  const { moments = [], functions = [], counts = [] } = heat.data ?? {}
  const times = moments.map((moment) => moment.time)
  if (moments.length < 2) return null
  const most = Math.max(1, ...counts.flat())
  const inside = (column: number) => {
    const at = times[column]
    if (drag) return column >= Math.min(...drag) && column <= Math.max(...drag)
    return (
      at != null && range.from !== null && range.to !== null && at >= range.from && at <= range.to
    )
  }
  const shown = all ? functions.length : SHOWN
  const heatOf = (names: readonly string[]): Heat => ({
    functions: names,
    counts,
    times: times.map((at) => (at ? zone.format(at) : 'time unknown')),
  })
  const take = () => {
    if (!drag) return
    const from = times[Math.min(...drag)]
    const to = times[Math.max(...drag)]
    setDrag(null)
    if (from && to) setRange({ from, to }, true)
  }
  return (
    <figure className="heat-map" onMouseUp={take} onMouseLeave={() => setDrag(null)}>
      <figcaption>
        Threads in each function, by sample
        {range.from !== null && (
          <Button size="small" variant="ghost" onClick={() => setRange(null, true)}>
            All samples
          </Button>
        )}
        {functions.length > SHOWN && (
          <Button size="small" variant="ghost" onClick={() => setAll(!all)}>
            {all ? 'Fewer functions' : `All ${functions.length} functions`}
          </Button>
        )}
        <span className="heat-space" />
        <HeatLegend peak={most} noun="thread" scale="linear" />
        <ExportMenu
          name="threads by function and sample"
          svg={() => heatSvg(heatOf(functions.slice(0, shown)))}
          rows={() => heatRows(heatOf(functions))}
        />
      </figcaption>
      <table className="heat-table" aria-label="Threads by function and sample">
        <thead>
          <tr>
            <th scope="col">Function</th>
            {times.map((at, column) => (
              <th
                key={`${moments[column]?.artifact}:${moments[column]?.snapshot}`}
                scope="col"
                data-in={inside(column) ? '' : undefined}
                title={at ? zone.format(at) : 'time unknown'}
              >
                {times.length <= TIMED && (
                  <span className="heat-time mono" aria-hidden="true">
                    {zone.format(at, 'clock')}
                  </span>
                )}
                <button
                  type="button"
                  aria-label={`Sample at ${at ? zone.format(at) : 'unknown time'}`}
                  disabled={at === null}
                  onMouseDown={() => setDrag([column, column])}
                  onMouseEnter={() => drag && setDrag([drag[0], column])}
                  onClick={(event) => {
                    if (event.detail === 0 && at) setRange({ from: at, to: at }, true) // keyboard
                  }}
                />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {functions.slice(0, shown).map((name, row) => (
            <tr key={name}>
              <th scope="row" className="mono ellipsis" title={name}>
                {name}
              </th>
              {(counts[row] ?? []).map((count, column) => (
                <td
                  key={column}
                  data-in={inside(column) ? '' : undefined}
                  title={`${name}: ${formatCount(count, 'thread')}${times[column] ? `, ${zone.format(times[column])}` : ''}`}
                  style={{ background: shade(count / most) }}
                  onMouseDown={() => times[column] && setDrag([column, column])}
                  onMouseEnter={() => drag && setDrag([drag[0], column])}
                >
                  <span className="visually-hidden">{count}</span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  )
}
