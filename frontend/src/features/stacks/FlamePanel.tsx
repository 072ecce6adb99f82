/** Stacks of a range merged: icicle, from both ends, one function's callers and callees, difference. */
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import { overviewQuery } from '@/api/queries'
import { treeOf, weight } from '@/charts/flame'
import { formatCount, formatNumber, formatShare } from '@/format'
import { useRange, useZone } from '@/state/incident'
import { flag, number, oneOf, text, useUrlChange, useUrlState } from '@/state/url'
import { Button } from '@/ui/controls/Button'
import { ExportMenu } from '@/ui/controls/ExportMenu'
import { EmptyState, Problem, SkeletonRows } from '@/ui/display/States'
import { SearchInput } from '@/ui/controls/SearchInput'
import {
  type FlameDoc,
  foldLibraries,
  foldTrunk,
  hits,
  inverted,
  sandwich,
  type Tree,
} from './flame'
import { flameRows, flameSvg } from './flameDrawing'
import { FlameLegend } from './FlameLegend'
import { FunctionTable } from './FunctionTable'
import { HeatPanel } from './HeatPanel'
import { Icicle } from './Icicle'
import { momentsQuery } from './queries'
import { activityWords } from './words'

const VIEWS = ['merged', 'heavy', 'inverted', 'table'] as const
const VIEW = oneOf([...VIEWS, 'sandwich'] as const)
const NAMES = { merged: 'Merged', heavy: 'Left-heavy', inverted: 'Inverted', table: 'Table' }

type Window = { readonly start?: string; readonly end?: string }

const flameQuery = (
  id: string,
  first: Window,
  second: Window | null,
  idle: boolean,
  event: string,
) =>
  queryOptions({
    queryKey: keys.of(id, 'stacks', 'flame', first, second, idle, event),
    queryFn: () =>
      unwrap(
        api.GET('/api/v1/incidents/{incident_id}/stacks/flame', {
          params: {
            path: { incident_id: id },
            query: {
              ...first,
              ...(second ? { b_start: second.start ?? '', b_end: second.end ?? '' } : {}),
              idle,
              ...(event === '' ? {} : { event }),
            },
          },
        }),
      ),
    placeholderData: keepPreviousData,
  })

export function FlamePanel({
  incidentId,
  idle,
}: {
  readonly incidentId: string
  readonly idle: boolean
}) {
  const zone = useZone()
  const [range] = useRange()
  const [against, setAgainst] = useUrlState('against', flag, false)
  const [heldFrom] = useUrlState('a_start', text, '')
  const [heldTo] = useUrlState('a_end', text, '')
  const [event] = useUrlState('event', text, '')
  const change_ = useUrlChange()
  const held = heldFrom !== '' && heldTo !== ''
  const stall = useStall(incidentId)
  const moments = useQuery(momentsQuery(incidentId))
  const inRange = range.from !== null && range.to !== null
  const chosen: Window = inRange ? { start: range.from ?? '', end: range.to ?? '' } : {}
  // Without a range, the difference is that of the stall to the time before it.
  const compared: Window | null = inRange ? chosen : stall
  const before: Window = held
    ? { start: heldFrom, end: heldTo }
    : { start: EVER, end: justBefore(compared?.start ?? '') }
  const hasBefore = (moments.data ?? []).some(
    (moment) => moment.time !== null && compared?.start && moment.time < compared.start,
  )
  const differs = compared !== null && ((held && inRange) || (against && !held && hasBefore))
  const query = useQuery(
    differs
      ? flameQuery(incidentId, before, compared, idle, event)
      : flameQuery(incidentId, chosen, null, idle, event),
  )
  return (
    <div className="flame">
      <div className="flame-head">
        <p>
          {inRange ? (
            <>
              Samples from {zone.format(range.from)} to {zone.format(range.to)}
            </>
          ) : differs ? (
            <>Samples of the stall from {zone.format(compared.start)}, against those before it</>
          ) : (
            'All samples; choose one at the left, or drag over the map below to take a range.'
          )}
        </p>
        {held ? (
          <>
            <span>
              against {zone.format(heldFrom)} to {zone.format(heldTo)}
              {range.from === heldFrom && range.to === heldTo && ': now take another range'}
            </span>
            <Button
              size="small"
              onClick={() => change_({ a_start: [], a_end: [] }, { push: true })}
            >
              End the difference
            </Button>
          </>
        ) : (
          <Button
            size="small"
            disabled={!inRange}
            title={
              inRange
                ? 'Then take another range: it is compared with this one'
                : 'Take a range first'
            }
            onClick={() =>
              change_(
                { a_start: [range.from ?? ''], a_end: [range.to ?? ''], against: [] },
                { push: true },
              )
            }
          >
            Compare this range with…
          </Button>
        )}
        <Button
          size="small"
          pressed={against && !held}
          disabled={held || !hasBefore}
          title={hasBefore ? undefined : 'No stack sample was taken before the stall or the range'}
          onClick={() => setAgainst(!against)}
        >
          Difference to before
        </Button>
      </div>
      {query.isLoadingError ? (
        <Problem
          compact
          error={query.error}
          what="The stacks could not be merged"
          onRetry={() => void query.refetch()}
        />
      ) : query.data ? (
        <Flame doc={query.data} incidentName={differs ? 'flame difference' : 'flame'} />
      ) : (
        <SkeletonRows rows={8} />
      )}
      <HeatPanel incidentId={incidentId} idle={idle} />
    </div>
  )
}

const EVER = '1970-01-01T00:00:00Z'
const EVERMORE = '9000-01-01T00:00:00Z'

/** Both ends of a window belong to it: a sample at the onset is of the stall only. */
function justBefore(instant: string): string {
  const time = Date.parse(instant)
  return Number.isNaN(time) ? EVER : new Date(time - 1).toISOString()
}

/** The window of the leading stall; null where there is none. */
function useStall(incidentId: string): { start: string; end: string } | null {
  const stalls = useQuery(overviewQuery(incidentId)).data?.stalls ?? []
  const stall = stalls.find(({ leading }) => leading) ?? stalls.find(({ kind }) => kind === 'stall')
  return stall ? { start: stall.onset, end: stall.end ?? EVERMORE } : null
}

/** The tree of a view: from either end, with its trunk folded or not. */
function useFlameTree(doc: FlameDoc, view: string, isTrunkShown: boolean): [Tree, boolean] {
  return useMemo(() => {
    const nodes = view === 'inverted' ? inverted(doc.nodes) : doc.nodes
    const order = view === 'merged' ? 'name' : 'heavy'
    const folded = view === 'inverted' ? foldLibraries(nodes) : foldTrunk(nodes)
    const hasTrunk = folded.length < nodes.length
    return [treeOf(isTrunkShown ? nodes : folded, order), hasTrunk]
  }, [doc, view, isTrunkShown])
}

function Flame({ doc, incidentName }: { readonly doc: FlameDoc; readonly incidentName: string }) {
  const change_ = useUrlChange()
  const [view, setView] = useUrlState('flame', VIEW, 'heavy')
  const [isTrunkShown] = useUrlState('trunk', flag, false)
  const [tree, hasTrunk] = useFlameTree(doc, view, isTrunkShown)
  const whole = useMemo(() => treeOf(doc.nodes), [doc])
  const [focus] = useUrlState('focus', number, 0)
  const [name] = useUrlState('fn', text, '')
  const [search, setSearch] = useUrlState('q', text, '')
  const found = useMemo(() => hits(tree, search), [tree, search])
  const all = tree.nodes[0] ? weight(tree.nodes[0]) : 0
  const sides = useMemo(() => (name ? sandwich(whole, name) : null), [whole, name])
  if (doc.samples === 0 && !doc.samples_b) {
    return <EmptyState compact title="No stack samples in this range" />
  }
  const busy = Object.entries(doc.activity_b ?? doc.activity)
    .filter(([kind]) => kind !== 'idle')
    .sort((a, b) => b[1] - a[1])
  const samples = doc.samples_b ?? doc.samples
  return (
    <>
      <div className="flame-tools">
        <p className="flame-sum" role="status">
          {formatCount(samples, 'sample')}
          {doc.event !== null && ` of ${doc.event} on the busiest CPU`}:{' '}
          {busy
            .map(
              ([kind, count]) =>
                `${formatNumber(count / Math.max(1, samples), 1)} ${activityWords(kind)}`,
            )
            .join(', ') || 'no thread at work'}
          <span className="faint">
            {doc.event === null ? ' (threads per sample)' : ' (CPUs at once)'}
          </span>
        </p>
        {doc.events.length + Number(doc.has_threads) > 1 && (
          <div className="segments" role="group" aria-label="What was sampled">
            {[...(doc.has_threads ? [null] : []), ...doc.events].map((kind) => (
              <Button
                key={kind ?? ''}
                size="small"
                pressed={doc.event === kind}
                onClick={() => change_({ event: kind === null ? [] : [kind], focus: [], fn: [] })}
              >
                {kind ?? 'Threads'}
              </Button>
            ))}
          </div>
        )}
        <SearchInput
          className="input"
          placeholder="Search functions"
          aria-label="Search functions"
          value={search}
          onSearch={setSearch}
        />
        {search.trim() && (
          <span className="muted" role="status">
            {formatCount(found.indexes.size, 'frame')}, {formatShare(all ? found.threads / all : 0)}{' '}
            of threads
          </span>
        )}
        <div className="segments" role="group" aria-label="Picture">
          {VIEWS.map((name) => (
            <Button
              key={name}
              size="small"
              pressed={view === name}
              onClick={() => change_({ flame: name === 'heavy' ? [] : [name], focus: [], fn: [] })}
            >
              {NAMES[name]}
            </Button>
          ))}
        </div>
        {hasTrunk && view !== 'table' && view !== 'sandwich' && (
          <Button
            size="small"
            pressed={isTrunkShown}
            title="The frames that nearly all stacks begin with"
            onClick={() => change_({ trunk: isTrunkShown ? [] : ['1'], focus: [], fn: [] })}
          >
            Show the trunk
          </Button>
        )}
        <ExportMenu
          name={incidentName}
          {...(view === 'table'
            ? {}
            : { svg: () => flameSvg(doc, sides ? treeOf(sides.callees) : tree, focus) })}
          rows={() => flameRows(doc, whole)}
        />
        {(focus > 0 || view === 'sandwich') && (
          <Button
            size="small"
            onClick={() => change_({ focus: [], fn: [], flame: [] }, { push: true })}
          >
            Show all
          </Button>
        )}
      </div>
      {name && view !== 'sandwich' && (
        <p className="flame-chosen">
          <span className="mono">{name}</span>{' '}
          <Button size="small" onClick={() => setView('sandwich', { push: true })}>
            Callers and callees
          </Button>{' '}
          <Button
            size="small"
            onClick={() => change_({ show: ['threads'], in: [name], q: [] }, { push: true })}
          >
            The threads in it
          </Button>
        </p>
      )}
      {view !== 'table' && <FlameLegend tree={tree} differs={doc.samples_b !== null} />}
      <FlamePicture
        {...{ doc, tree, whole, view, sides, isTrunkShown, search }}
        focus={focus}
        name={name}
        hit={search.trim() ? found.indexes : null}
      />
      {doc.pruned > 0 && (
        <p className="faint">
          {doc.pruned === 1 ? '1 thin frame is' : `${formatNumber(doc.pruned)} thin frames are`}{' '}
          left out of this picture.
        </p>
      )}
    </>
  )
}

/** The table of functions, the callers and callees of one, or the icicle. */
function FlamePicture({
  doc,
  tree,
  whole,
  view,
  sides,
  isTrunkShown,
  focus,
  name,
  search,
  hit,
}: {
  readonly doc: FlameDoc
  readonly tree: Tree
  readonly whole: Tree
  readonly view: string
  readonly sides: ReturnType<typeof sandwich> | null
  readonly isTrunkShown: boolean
  readonly focus: number
  readonly name: string
  readonly search: string
  readonly hit: ReadonlySet<number> | null
}) {
  const change = useUrlChange()
  return view === 'table' ? (
    <FunctionTable
      tree={whole}
      doc={doc}
      search={search}
      selected={name}
      onSelect={(fn) => change({ fn: [fn] })}
    />
  ) : view === 'sandwich' && sides ? (
    <div className="flame-sides">
      <h3>
        Callers of <span className="mono">{name}</span>
      </h3>
      <Icicle doc={doc} tree={treeOf(sides.callers)} focus={0} hit={null} />
      <h3>What it calls</h3>
      <Icicle doc={doc} tree={treeOf(sides.callees)} focus={0} hit={null} />
    </div>
  ) : (
    <Icicle
      key={`${view}${isTrunkShown}`}
      doc={doc}
      tree={tree}
      name={
        view === 'inverted'
          ? 'Merged stacks, innermost functions above their callers'
          : 'Merged stacks, callers above callees'
      }
      focus={Math.min(focus, tree.nodes.length - 1)}
      hit={hit}
      onPick={(box) =>
        change(
          {
            focus: box.index === 0 ? [] : [String(box.index)],
            fn: box.index === 0 || tree.nodes[box.index]?.trunk ? [] : [box.name],
          },
          { push: true },
        )
      }
      onSandwich={(box) => {
        if (tree.nodes[box.index]?.trunk) return
        change({ flame: ['sandwich'], fn: [box.name] }, { push: true })
      }}
    />
  )
}
