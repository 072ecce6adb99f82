/** Snapshots as ticks sized by waiters, events, and the notes that people wrote. */
import type { components } from '@/api/schema'
import { parseIso, type TimeScale } from '@/charts/time'
import { formatNumber } from '@/format'
import { useZone } from '@/state/incident'
import { layoutSnapshots, type SnapshotTick } from './marks'
import { useDeleteAnnotation, type Marks } from './queries'

type Event = components['schemas']['EventDoc']
type Props = {
  marks: Marks
  x: TimeScale
  width: number
  onOpen: (at: string) => void
  incidentId: string
  mayWrite: boolean
}

const KINDS = [
  ['innodb_status', 'InnoDB status dumps'],
  ['stacks', 'Stack samples'],
  ['processlist', 'Processlists'],
] as const
const HEIGHT = 30

export function MarksRows({ marks, x, width, onOpen, incidentId, mayWrite }: Props) {
  const rows = KINDS.map(
    ([kind, title]) =>
      [
        kind,
        title,
        layoutSnapshots(
          marks.snapshots.filter((s) => s.kind === kind),
          x,
          width,
        ),
      ] as const,
  ).filter(([kind]) => marks.snapshots.some((s) => s.kind === kind))
  return (
    <>
      {rows.map(([kind, title, ticks]) => (
        <SnapshotRow
          key={kind}
          kind={kind}
          title={title}
          ticks={ticks}
          width={width}
          onOpen={onOpen}
        />
      ))}
      <EventRow events={marks.events} x={x} width={width} />
      {marks.annotations.length > 0 && (
        <AnnotationRow
          marks={marks}
          x={x}
          width={width}
          incidentId={incidentId}
          mayWrite={mayWrite}
        />
      )}
    </>
  )
}

function SnapshotRow({
  kind,
  title,
  ticks,
  width,
  onOpen,
}: {
  kind: string
  title: string
  ticks: SnapshotTick[]
  width: number
  onOpen: (at: string) => void
}) {
  const zone = useZone()
  return (
    <section className="marks" aria-label={title}>
      <div className="marks-head">{title}</div>
      <div className="marks-plot" style={{ width, height: HEIGHT }}>
        {ticks.map((tick) => (
          <button
            key={tick.x}
            type="button"
            className="snapshot-tick"
            data-kind={kind}
            style={{ left: tick.x - 3 }}
            title={`${zone.format(tick.snapshot.time)}: ${formatNumber(tick.waiters, 0)} waiting${tick.count > 1 ? `, worst of ${tick.count}` : ''}. Open the wait graph`}
            aria-label={`Snapshot at ${zone.format(tick.snapshot.time)}, ${tick.waiters} waiting`}
            onClick={() => onOpen(tick.snapshot.time)}
          >
            <span
              className={tick.waiters > 0 ? 'snapshot-bar waits' : 'snapshot-bar'}
              style={{ height: 4 + tick.weight * (HEIGHT - 8) }}
            />
          </button>
        ))}
      </div>
    </section>
  )
}

const GLYPH: Record<string, string> = { error: '✕', warning: '▲', system: '■', note: '·' }

function EventRow({ events, x, width }: { events: readonly Event[]; x: TimeScale; width: number }) {
  const zone = useZone()
  const visible = events
    .flatMap((event) => {
      const at = parseIso(event.time)
      const px = at === null ? NaN : x(at)
      return px >= 0 && px <= width ? [{ event, px }] : []
    })
    .slice(0, 400)
  if (visible.length === 0) return null
  return (
    <section className="marks" aria-label="Events">
      <div className="marks-head">Events</div>
      <div className="marks-plot" style={{ width, height: 22 }}>
        {visible.map(({ event, px }, index) => (
          <span
            key={index}
            className="event-mark"
            data-severity={event.kind === 'trigger' ? 'trigger' : (event.severity ?? 'note')}
            style={{ left: px }}
            title={`${zone.format(event.time)} ${event.kind}: ${event.message}`}
          >
            {event.kind === 'trigger' ? '◆' : (GLYPH[event.severity ?? 'note'] ?? '·')}
          </span>
        ))}
      </div>
    </section>
  )
}

function AnnotationRow({ marks, x, width, incidentId, mayWrite }: Omit<Props, 'onOpen'>) {
  const remove = useDeleteAnnotation(incidentId)
  return (
    <section className="marks" aria-label="Notes">
      <div className="marks-head">Notes</div>
      <div className="marks-plot" style={{ width, height: 24 }}>
        {marks.annotations.map((note) => {
          const start = parseIso(note.start) ?? 0
          const end = parseIso(note.end)
          const left = Math.max(0, x(start))
          const right = Math.min(width, end === null ? left + 8 : x(end))
          if (right < 0 || left > width) return null
          return (
            <span
              key={note.id}
              className="note-mark"
              style={{ left, width: Math.max(8, right - left) }}
              title={`${note.text} (${note.author ?? 'somebody'})`}
            >
              <span className="ellipsis">{note.text}</span>
              {mayWrite && (
                <button
                  type="button"
                  aria-label={`Delete the note ${note.text}`}
                  onClick={() => remove.mutate(note.id)}
                >
                  ×
                </button>
              )}
            </span>
          )
        })}
      </div>
    </section>
  )
}
