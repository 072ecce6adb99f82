/** Where the active sessions of each side spend their time: a bar per side, and the numbers by class. */
import { classColour } from '@/charts/classColour'
import { CLASSES } from '@/ui/display/glossary'
import { EmptyState } from '@/ui/display/States'
import { Term } from '@/ui/display/Term'
import { Measured, ShareValue } from '@/ui/display/Value'
import { type Column, Table } from '@/ui/table/Table'
import { NAMES } from '@/state/sides'
import type { SidesDoc } from './queries'

type Class = SidesDoc['classes'][number]

export function TimeClasses({ doc }: { readonly doc: SidesDoc }) {
  if (doc.classes.length === 0) {
    return (
      <EmptyState compact title="No side shows active sessions">
        Processlists, stack samples, status dumps and counters of running sessions show them.
      </EmptyState>
    )
  }
  return (
    <div className="compare-classes">
      <SideBars doc={doc} />
      <Table
        fill
        copy
        label="Active sessions by class"
        rows={doc.classes}
        columns={columns(doc.sides.length)}
        rowKey={(row) => row.id}
      />
    </div>
  )
}

const orZero = (value: number | null) => value ?? 0

/** One bar per side on a common scale, stacked by class. */
function SideBars({ doc }: { readonly doc: SidesDoc }) {
  const most = Math.max(...doc.active.map((side) => side?.average ?? 0)) || 1
  return (
    <table className="compare-bars">
      <caption className="muted">
        Average active sessions: <Term of="session time" /> over the seconds that the samples cover
      </caption>
      <tbody>
        {doc.active.map((side, at) => (
          <tr key={NAMES[at]}>
            <th scope="row">{NAMES[at]}</th>
            <td>
              <Measured value={side?.average} />
              {side && side.low !== null && side.high !== null && side.low !== side.high && (
                <span className="faint spread">
                  <Measured value={side.low} /> to <Measured value={side.high} />
                </span>
              )}
            </td>
            <td className="compare-bar" aria-hidden="true">
              {[...doc.classes]
                .filter((row) => row.sessions[at])
                .sort((a, b) => orZero(b.sessions[at] ?? null) - orZero(a.sessions[at] ?? null))
                .map((row) => (
                  <span
                    key={row.id}
                    title={row.title}
                    style={{
                      width: `${(orZero(row.sessions[at] ?? null) / most) * 100}%`,
                      background: classColour(row.id),
                    }}
                  />
                ))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const columns = (sides: number): readonly Column<Class>[] => [
  {
    key: 'class',
    head: 'Class',
    width: 'minmax(200px, 2fr)',
    cell: (row) => (
      <span>
        <span className="compare-key" style={{ background: classColour(row.id) }} />
        <Term text={CLASSES[row.id]}>{row.title}</Term>
      </span>
    ),
    sort: (row) => row.title,
  },
  ...Array.from({ length: sides }, (_, side): Column<Class> => ({
    key: NAMES[side] ?? '',
    head: NAMES[side],
    title: 'Average active sessions of the class, and its share of the side',
    kind: 'number',
    width: sides > 3 ? 'minmax(110px, 1fr)' : 'minmax(150px, 1fr)',
    cell: (row) => (
      <span>
        <Measured value={row.sessions[side] ?? null} />
        {row.shares[side] !== null && row.shares[side] !== undefined && (
          <span className="faint spread">
            <ShareValue value={row.shares[side]} />
          </span>
        )}
      </span>
    ),
    sort: (row) => row.sessions[side] ?? null,
  })),
]
