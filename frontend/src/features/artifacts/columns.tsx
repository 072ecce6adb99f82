/** Columns of the artifact table: all of them, and the few that fit beside the viewer. */
import type { Artifact } from '@/api/schema'
import { ShareBar } from '@/ui/Bar'
import type { Column } from '@/ui/Table'
import { BytesValue, Measured, ShareValue, Time } from '@/ui/Value'
import { StateChip, stateWords } from './state'

const none = <span className="faint">–</span>

const path: Column<Artifact> = {
  key: 'path',
  head: 'Path',
  width: 'minmax(250px, 2.4fr)',
  sort: (row) => row.path,
  cell: (row) => <PathCell path={row.path} member={row.parent_id !== null} />,
}
const state: Column<Artifact> = {
  key: 'state',
  head: 'State',
  width: '144px',
  sort: (row) => stateWords(row.state),
  cell: (row) => <StateChip artifact={row} />,
}

const wide: readonly Column<Artifact>[] = [
  path,
  {
    key: 'format',
    head: 'Type',
    width: 'minmax(150px, 1.2fr)',
    sort: (row) => row.format_title ?? row.format,
    cell: (row) =>
      row.format_title || row.format ? (
        <span title={row.why ?? undefined}>
          {row.format_title ?? row.format}
          {row.format_given ? (
            <span className="unit">by hand</span>
          ) : (
            row.confidence !== null &&
            row.confidence < 0.95 && (
              <span className="unit">
                <ShareValue value={row.confidence} /> sure
              </span>
            )
          )}
        </span>
      ) : (
        none
      ),
  },
  state,
  {
    key: 'host',
    head: 'Host',
    width: 'minmax(80px, 0.7fr)',
    sort: (row) => row.host,
    cell: (row) => row.host ?? none,
  },
  {
    key: 'bytes',
    head: 'Size',
    kind: 'number',
    width: '84px',
    sort: (row) => row.bytes,
    cell: (row) => <BytesValue value={row.bytes} />,
  },
  {
    key: 'first',
    head: 'From',
    width: '170px',
    sort: (row) => row.first,
    cell: (row) => <Time at={row.first} />,
  },
  {
    key: 'last',
    head: 'To',
    width: '78px',
    sort: (row) => row.last,
    cell: (row) => <Time at={row.last} style="clock" />,
  },
  {
    key: 'zone',
    head: 'Zone',
    width: '84px',
    sort: (row) => row.clock?.zone ?? null,
    cell: (row) => <ZoneCell row={row} />,
  },
  {
    key: 'coverage',
    head: 'Understood',
    kind: 'number',
    width: '116px',
    sort: (row) => row.coverage,
    cell: (row) =>
      row.coverage === null ? (
        none
      ) : (
        <>
          <ShareBar value={row.coverage} tone="idle" width={44} />{' '}
          <ShareValue value={row.coverage} />
        </>
      ),
  },
  {
    key: 'problems',
    head: 'Problems',
    kind: 'number',
    width: '72px',
    sort: (row) => row.problems,
    cell: (row) =>
      row.problems ? <Measured value={row.problems} /> : <span className="faint">0</span>,
  },
  {
    key: 'hash',
    head: 'SHA-256',
    width: '92px',
    sort: (row) => row.sha256,
    cell: (row) => (
      <span className="mono faint" title={row.sha256}>
        {row.sha256.slice(0, 8)}
      </span>
    ),
  },
]

export const COLUMNS = {
  wide,
  narrow: [
    { ...path, width: 'minmax(140px, 1fr)' },
    { ...state, width: '148px' },
  ],
} satisfies Record<string, readonly Column<Artifact>[]>

/** Name first, then its folder; members of an archive are indented and leave its name out. */
function PathCell({
  path,
  member,
  short = false,
}: {
  readonly path: string
  readonly member: boolean
  /** Leaves the folder out. */
  readonly short?: boolean
}) {
  const shown = member ? path.replace(INSIDE, '') : path
  const cut = shown.lastIndexOf('/') + 1
  return (
    <span className="path mono" title={path}>
      {member && (
        <span className="path-mark" aria-label="inside an archive">
          ↳
        </span>
      )}
      <span className="path-name">{shown.slice(cut)}</span>
      {cut > 0 && !short && <span className="path-folder">{shown.slice(0, cut)}</span>}
    </span>
  )
}

const INSIDE = /^.*\.(?:zip|tar|tgz|tbz2?|txz|gz|bz2|xz|zst)\//

function ZoneCell({ row }: { readonly row: Artifact }) {
  const { clock } = row
  if (!clock) return none
  const offset = clock.offset_s ? ` ${clock.offset_s > 0 ? '+' : ''}${clock.offset_s} s` : ''
  return (
    <span title={clock.how}>
      {clock.zone ?? 'absolute'}
      {offset}
      {clock.quality === 'assumed' && <span className="unit">assumed</span>}
    </span>
  )
}
