/** Identical stacks counted once, on three piles: unreviewed, benign (b), suspicious (x). */
import { formatCount } from '@/format'
import { useMay } from '@/api/queries'
import { oneOf, useUrlState } from '@/state/url'
import { ShareBar } from '@/ui/display/Bar'
import { Button } from '@/ui/controls/Button'
import { Chip } from '@/ui/controls/Chip'
import { EmptyState, Problem } from '@/ui/display/States'
import { type Column, Table } from '@/ui/table/Table'
import { ShareValue } from '@/ui/display/Value'
import { type Pile, type Stacks, useJudge } from './queries'
import {
  activityWords,
  barTone,
  callersApart,
  categoryWords,
  type Group,
  splitName,
  tone,
} from './words'

const PILES = ['unreviewed', 'benign', 'suspicious'] as const
const SHOWN = oneOf(['all', ...PILES] as const)
const SIGN: Readonly<Record<Pile, string>> = { unreviewed: '', benign: '✓', suspicious: '!' }
const KEYS: Readonly<Record<string, Pile>> = { b: 'benign', x: 'suspicious', u: 'unreviewed' }

const pileOf = (group: Group): Pile => group.verdict?.pile ?? 'unreviewed'

/** `apart`: the callers that tell it from other groups of its name. */
type Row = Group & { readonly apart: string | undefined }

const COLUMNS: readonly Column<Row>[] = [
  {
    key: 'count',
    head: 'Threads',
    kind: 'number',
    width: '76px',
    cell: (group) => group.count,
    sort: (group) => group.count,
  },
  {
    key: 'share',
    head: 'Share',
    width: '104px',
    cell: (group) => (
      <>
        <ShareBar value={group.share} tone={barTone(group)} width={40} />{' '}
        <ShareValue value={group.share} />
      </>
    ),
    sort: (group) => group.share,
  },
  {
    key: 'name',
    head: 'What they do',
    width: 'minmax(280px, 4fr)',
    cell: (group) => <StackName name={group.name} apart={group.apart} />,
    text: (group) => [group.name, group.apart].filter(Boolean).join(' < '),
    sort: (group) => group.name,
  },
  {
    key: 'pile',
    head: 'Pile',
    width: '112px',
    cell: (group) => (
      <span
        className={`pile pile-${pileOf(group)}`}
        title={group.verdict?.by ? `by ${group.verdict.by}` : undefined}
      >
        {SIGN[pileOf(group)]} {pileOf(group)}
      </span>
    ),
    sort: pileOf,
  },
  {
    key: 'kind',
    head: 'Kind',
    width: '108px',
    cell: (group) => (
      <Chip tone={tone(group)}>
        {group.category ? categoryWords(group.category) : activityWords(group.activity)}
      </Chip>
    ),
    sort: (group) => group.category ?? group.activity,
  },
  {
    key: 'waits',
    head: 'Blocked on',
    width: 'minmax(116px, 0.8fr)',
    cell: (group) => (
      <span className="mono ellipsis" title={group.waits_on.join(', ')}>
        {group.waits_on.join(', ')}
      </span>
    ),
    sort: (group) => group.waits_on.join(', '),
  },
  {
    key: 'meaning',
    head: 'What it means',
    width: 'minmax(200px, 2.6fr)',
    cell: (group) => (
      <span className="ellipsis muted" title={group.meaning ?? undefined}>
        {group.meaning ?? 'Not in the knowledge base.'}
      </span>
    ),
    sort: (group) => group.meaning,
  },
]

/** So much of a long name stays. */
const LEAST_CH = 7

/** "rw_lock_s_lock_spin in row_search_mvcc": where room is short, what it is in stays. */
function StackName({ name, apart }: { readonly name: string; readonly apart: string | undefined }) {
  const [leaf, caller] = splitName(name)
  const title = apart ? `${name} < ${apart}` : name
  return (
    <span className="stack-name mono" title={title} data-testid="stack-group">
      <span className="ellipsis" style={{ minWidth: `${Math.min(leaf.length, LEAST_CH)}ch` }}>
        {leaf}
      </span>
      {caller && <span className="stack-caller ellipsis">in {caller}</span>}
      {apart && <span className="stack-apart ellipsis faint">&lt; {apart}</span>}
    </span>
  )
}

export function TriagePanel({
  incidentId,
  artifact,
  snapshot,
  stacks,
  idle,
  selected,
  onSelect,
}: {
  readonly incidentId: string
  readonly artifact: string
  readonly snapshot: number
  readonly stacks: Stacks
  readonly idle: boolean
  readonly selected: string
  readonly onSelect: (group: string) => void
}) {
  const [shown, setShown] = useUrlState('pile', SHOWN, 'all')
  const judge = useJudge(incidentId, artifact, snapshot)
  const may = useMay('contributor')
  const busy = stacks.groups.filter((group) => idle || !group.set_aside)
  const apart = callersApart(busy)
  const rows = busy
    .filter((group) => shown === 'all' || pileOf(group) === shown)
    .map((group) => ({ ...group, apart: apart.get(group.id) }))
  const judged = busy.some((group) => pileOf(group) !== 'unreviewed')
  const put = (pile: Pile) => {
    if (selected && may) judge.mutate({ stack: selected, pile })
  }
  return (
    <div
      className="triage"
      onKeyDown={(event) => {
        const pile = KEYS[event.key]
        if (!pile || event.ctrlKey || event.metaKey || event.altKey) return
        if (!(event.target as HTMLElement).closest('[role="row"]')) return
        event.preventDefault()
        event.stopPropagation()
        put(pile)
      }}
    >
      <div className="triage-tools">
        <div className="segments" role="group" aria-label="Pile">
          {(['all', ...PILES] as const).map((pile) => (
            <Button key={pile} size="small" pressed={shown === pile} onClick={() => setShown(pile)}>
              {pile[0]?.toUpperCase()}
              {pile.slice(1)}{' '}
              {pile === 'all' ? busy.length : busy.filter((item) => pileOf(item) === pile).length}
            </Button>
          ))}
        </div>
        {may && (
          <>
            <Button size="small" disabled={!selected} onClick={() => put('benign')}>
              Benign <kbd>b</kbd>
            </Button>
            <Button size="small" disabled={!selected} onClick={() => put('suspicious')}>
              Suspicious <kbd>x</kbd>
            </Button>
            <Button size="small" disabled={!selected} onClick={() => put('unreviewed')}>
              Clear <kbd>u</kbd>
            </Button>
          </>
        )}
      </div>
      {judge.isError && <Problem compact error={judge.error} what="The pile was not saved" />}
      {rows.length === 0 ? (
        <EmptyState
          compact
          title={busy.length === 0 ? 'Only idle threads in this sample' : 'This pile is empty'}
        />
      ) : (
        <Table
          rows={rows}
          columns={judged ? COLUMNS : COLUMNS.filter(({ key }) => key !== 'pile')}
          rowKey={(group) => group.id}
          label="Stacks by the number of threads"
          selected={selected}
          onSelect={(group) => onSelect(group.id)}
          copy
          fill
        />
      )}
      {stacks.left_out > 0 && (
        <p className="faint">
          {formatCount(stacks.left_out, 'thread')} with rarer stacks not listed; the raw file has
          them.
        </p>
      )}
    </div>
  )
}
