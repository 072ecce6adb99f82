/** The same marks and lanes as tables, for keyboards, screen readers and copying. */
import { useMemo } from 'react'
import { waiting } from './marks'
import type { Marks, Series, WindowLane } from './queries'
import { Button } from '@/ui/Button'
import { Measured, Time } from '@/ui/Value'

type Row = { time: string; kind: string; text: string; at: string | null }

type Props = {
  readonly marks: Marks
  readonly lanes: readonly WindowLane[]
  readonly series: ReadonlyMap<string, Series>
  readonly onOpen: (at: string) => void
}

export function EventTable({ marks, lanes, series, onOpen }: Props) {
  const rows = useMemo(() => tableRows(marks), [marks])
  return (
    <div className="timeline-scroll scroll">
      {lanes.length > 0 && <LaneTable lanes={lanes} series={series} />}
      <table className="event-table">
        <caption>Stalls, snapshots with waiters, events and notes</caption>
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Kind</th>
            <th scope="col">What</th>
            <th scope="col">
              <span className="visually-hidden">Where it leads</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              <td className="mono">
                <Time at={row.time} style="full" />
              </td>
              <td>{row.kind}</td>
              <td>{row.text}</td>
              <td>
                {row.at && (
                  <Button size="small" variant="ghost" onClick={() => row.at && onOpen(row.at)}>
                    Wait graph
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function LaneTable({ lanes, series }: Pick<Props, 'lanes' | 'series'>) {
  return (
    <table className="event-table">
      <caption>Lanes in this window, against the window of the same length before</caption>
      <thead>
        <tr>
          <th scope="col">Series</th>
          <th scope="col">Host</th>
          <th scope="col">Mean before</th>
          <th scope="col">Mean now</th>
          <th scope="col">Minimum</th>
          <th scope="col">Maximum</th>
          <th scope="col">Samples</th>
        </tr>
      </thead>
      <tbody>
        {lanes.map((lane) => {
          const of = series.get(lane.id)
          const unit = of?.kind === 'counter' ? `${of.unit ?? '1'}/s` : (of?.unit ?? '')
          return (
            <tr key={lane.id}>
              <td className="mono">{of ? `${of.name} ${of.labels}` : lane.id}</td>
              <td>{of?.host ?? ''}</td>
              {[lane.before, lane.now, lane.min, lane.max].map((value, index) => (
                <td key={index} className="num">
                  <Measured value={value} unit={unit} />
                </td>
              ))}
              <td className="num">{lane.samples}</td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

/** Stalls, snapshots that wait, events and notes in time order. */
export function tableRows(marks: Marks): Row[] {
  const rows: Row[] = []
  for (const stall of marks.stalls) {
    const kind = stall.kind.replace('_', ' ')
    rows.push({ time: stall.onset, kind, text: `begins. ${stall.note}`, at: null })
    if (stall.end) rows.push({ time: stall.end, kind, text: 'ends', at: null })
  }
  for (const snapshot of marks.snapshots) {
    if (waiting(snapshot) > 0) {
      const text = `${snapshot.waiters ?? 0} threads wait for latches, ${snapshot.lock_waits ?? 0} transactions for locks`
      rows.push({ time: snapshot.time, kind: 'snapshot', text, at: snapshot.time })
    }
  }
  for (const event of marks.events) {
    if (event.time) rows.push({ time: event.time, kind: event.kind, text: event.message, at: null })
  }
  for (const note of marks.annotations) {
    rows.push({
      time: note.start,
      kind: 'note',
      text: `${note.text} (${note.author ?? 'somebody'})`,
      at: null,
    })
  }
  return rows.sort((a, b) => a.time.localeCompare(b.time))
}
