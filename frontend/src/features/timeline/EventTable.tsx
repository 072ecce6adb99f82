/** The same marks as a table, for keyboards, screen readers and copying. */
import { useMemo } from 'react'
import { waiting } from './marks'
import type { Marks } from './queries'
import { Button } from '@/ui/Button'
import { Time } from '@/ui/Value'

type Row = { time: string; kind: string; text: string; at: string | null }

export function EventTable({ marks, onOpen }: { marks: Marks; onOpen: (at: string) => void }) {
  const rows = useMemo(() => tableRows(marks), [marks])
  return (
    <div className="timeline-scroll scroll">
      <table className="event-table">
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Kind</th>
            <th scope="col">What</th>
            <th scope="col" />
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
