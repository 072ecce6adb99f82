/** Columns of the artifact table: all, those that fit a laptop, and those that fit next to the viewer. */
import type { Artifact } from '@/api/schema'
import { useZone } from '@/state/incident'
import { ShareBar } from '@/ui/display/Bar'
import type { Column } from '@/ui/table/Table'
import { BytesValue, Measured, ShareValue, Time } from '@/ui/display/Value'
import { StateChip, stateWords } from '../state'

const none = <span className="faint">–</span>

const path: Column<Artifact> = {
  key: 'path',
  head: 'Path',
  width: 'minmax(236px, 2.4fr)',
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
    width: 'minmax(230px, 1.4fr)',
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
    optional: true,
    head: 'Host',
    width: 'minmax(116px, 0.7fr)',
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
    width: '164px',
    sort: (row) => row.first,
    cell: (row) => <Time at={row.first} />,
  },
  {
    key: 'last',
    optional: true,
    head: 'To',
    width: '78px',
    sort: (row) => row.last,
    cell: (row) => <Time at={row.last} style="clock" />,
  },
  {
    key: 'zone',
    optional: true,
    head: 'Zone',
    width: '112px',
    sort: (row) => row.clock?.zone ?? null,
    cell: (row) => <ZoneCell row={row} />,
  },
  {
    key: 'coverage',
    head: 'Understood',
    kind: 'number',
    width: '136px',
    sort: (row) => row.coverage,
    cell: (row) =>
      row.coverage === null ? (
        none
      ) : (
        <>
          <ShareBar value={row.coverage} tone="idle" width={36} />{' '}
          <span className="bar-value">
            <ShareValue value={row.coverage} />
          </span>
        </>
      ),
  },
  {
    key: 'problems',
    optional: true,
    head: 'Problems',
    kind: 'number',
    width: '72px',
    sort: (row) => row.problems,
    cell: (row) =>
      row.problems ? <Measured value={row.problems} /> : <span className="faint">0</span>,
  },
  {
    key: 'hash',
    optional: true,
    head: 'SHA-256',
    width: '90px',
    sort: (row) => row.sha256,
    cell: (row) => (
      <span className="mono faint" title={row.sha256}>
        {row.sha256.slice(0, 8)}
      </span>
    ),
  },
]

const confidence: Column<Artifact> = {
  key: 'confidence',
  optional: true,
  head: 'Certainty',
  title: 'Certainty of the type',
  kind: 'number',
  width: '64px',
  sort: (row) => row.confidence,
  cell: (row) =>
    row.confidence === null || row.format === null ? (
      none
    ) : (
      <span title={row.why ?? undefined}>
        <ShareValue value={row.confidence} />
      </span>
    ),
}

const provenance: readonly Column<Artifact>[] = [
  {
    key: 'parser',
    optional: true,
    head: 'Parser',
    title: 'Version of the parser',
    kind: 'number',
    width: '64px',
    sort: (row) => row.parser_version,
    cell: (row) => row.parser_version ?? none,
  },
  {
    key: 'uploader',
    optional: true,
    head: 'Uploaded by',
    width: 'minmax(100px, 0.8fr)',
    sort: (row) => row.uploaded_by,
    cell: (row) => (row.uploaded_by ? <Uploader row={row} /> : none),
  },
]

const hash = wide.at(-1)

/** Minimum width in pixels for all columns. */
export const ALL_COLUMNS_PX = 1560

export const COLUMNS = {
  wide,
  all: [
    ...wide.slice(0, 2),
    confidence,
    ...wide.slice(2, -1),
    ...provenance,
    ...(hash ? [hash] : []),
  ],
  narrow: [
    { ...path, width: 'minmax(140px, 1fr)' },
    { ...state, width: '128px' },
  ],
} satisfies Record<string, readonly Column<Artifact>[]>

/** The path cell: name first, then folder; members of an archive are indented without its name. */
function PathCell({
  path,
  member,
  short = false,
}: {
  readonly path: string
  readonly member: boolean
  /** Hides the folder. */
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
      <span className="path-rest">
        <Name name={shown.slice(cut)} />
        {cut > 0 && !short && <span className="path-folder">{shown.slice(0, cut)}</span>}
      </span>
    </span>
  )
}

/** The end of a long name, which tells files of one kind apart; its start is cut where room is short. */
function Name({ name }: { readonly name: string }) {
  if (name.length <= NAME_END + 6) return <span className="path-name">{name}</span>
  return (
    <span className="path-name path-long">
      <span className="path-start">{name.slice(0, -NAME_END)}</span>
      <span>{name.slice(-NAME_END)}</span>
    </span>
  )
}

const NAME_END = 18
const INSIDE = /^.*\.(?:zip|tar|tgz|tbz2?|txz|gz|bz2|xz|zst)\//

function Uploader({ row }: { readonly row: Artifact }) {
  const zone = useZone()
  return <span title={zone.format(row.uploaded_at)}>{row.uploaded_by}</span>
}

const WITHOUT_ZONE: Partial<Record<NonNullable<Artifact['clock']>['quality'], string>> = {
  unknown: 'undated',
  given: 'given',
}

function ZoneCell({ row }: { readonly row: Artifact }) {
  const { clock } = row
  if (!clock) return none
  const offset = clock.offset_s ? ` ${clock.offset_s > 0 ? '+' : ''}${clock.offset_s} s` : ''
  return (
    <span title={clock.how}>
      {clock.zone ?? WITHOUT_ZONE[clock.quality] ?? 'absolute'}
      {offset}
      {clock.quality === 'assumed' && <span className="unit">assumed</span>}
    </span>
  )
}
