/** Stacks of a range merged: icicle, one function's callers and callees, difference, heat map. */
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api, unwrap } from '@/api/client'
import { keys } from '@/api/keys'
import { treeOf, weight } from '@/charts/flame'
import { formatNumber, formatShare } from '@/format'
import { useRange, useZone } from '@/state/incident'
import { flag, number, oneOf, text, useUrlChange, useUrlState } from '@/state/url'
import { Button } from '@/ui/controls/Button'
import { ExportMenu } from '@/ui/controls/ExportMenu'
import { EmptyState, Problem, SkeletonRows } from '@/ui/display/States'
import { SearchInput } from '@/ui/controls/SearchInput'
import { type FlameDoc, hits, sandwich } from './flame'
import { flameRows, flameSvg } from './flameDrawing'
import { FunctionTable } from './FunctionTable'
import { HeatPanel } from './HeatPanel'
import { Icicle } from './Icicle'
import { activityWords } from './words'

const VIEWS = ['merged', 'heavy', 'table'] as const
const VIEW = oneOf([...VIEWS, 'sandwich'] as const)
const NAMES = { merged: 'Merged', heavy: 'Left-heavy', table: 'Table' }

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
  const inRange = range.from !== null && range.to !== null
  const window: Window = inRange ? { start: range.from ?? '', end: range.to ?? '' } : {}
  const before: Window = held
    ? { start: heldFrom, end: heldTo }
    : { start: '1970-01-01T00:00:00Z', end: range.from ?? '' }
  const differs = inRange && (held || against)
  const query = useQuery(
    differs
      ? flameQuery(incidentId, before, window, idle, event)
      : flameQuery(incidentId, window, null, idle, event),
  )
  return (
    <div className="flame">
      <HeatPanel incidentId={incidentId} idle={idle} />
      <div className="flame-head">
        <p>
          {inRange ? (
            <>
              Samples from {zone.format(range.from)} to {zone.format(range.to)}
            </>
          ) : (
            'All samples; drag over the map above to take a range.'
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
          disabled={!inRange || held}
          title={
            inRange ? undefined : 'Choose a range first: it is compared with the time before it'
          }
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
    </div>
  )
}

function Flame({ doc, incidentName }: { readonly doc: FlameDoc; readonly incidentName: string }) {
  const change_ = useUrlChange()
  const [view, setView] = useUrlState('flame', VIEW, 'heavy')
  const tree = useMemo(() => treeOf(doc.nodes, view === 'merged' ? 'name' : 'heavy'), [doc, view])
  const [focus] = useUrlState('focus', number, 0)
  const [name] = useUrlState('fn', text, '')
  const [search, setSearch] = useUrlState('q', text, '')
  const found = useMemo(() => hits(tree, search), [tree, search])
  const all = tree.nodes[0] ? weight(tree.nodes[0]) : 0
  const sides = useMemo(() => (name ? sandwich(tree, name) : null), [tree, name])
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
          {formatNumber(samples)} {samples === 1 ? 'sample' : 'samples'}
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
            {found.indexes.size} frames, {formatShare(all ? found.threads / all : 0)} of threads
          </span>
        )}
        <div className="segments" role="group" aria-label="Picture">
          {VIEWS.map((name) => (
            <Button key={name} size="small" pressed={view === name} onClick={() => setView(name)}>
              {NAMES[name]}
            </Button>
          ))}
        </div>
        <ExportMenu
          name={incidentName}
          {...(view === 'table'
            ? {}
            : { svg: () => flameSvg(doc, sides ? treeOf(sides.callees) : tree, focus) })}
          rows={() => flameRows(doc, tree)}
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
      {view === 'table' ? (
        <FunctionTable
          tree={tree}
          doc={doc}
          search={search}
          selected={name}
          onSelect={(fn) => change_({ fn: [fn] })}
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
          doc={doc}
          tree={tree}
          focus={Math.min(focus, tree.nodes.length - 1)}
          hit={search.trim() ? found.indexes : null}
          onPick={(box) =>
            change_(
              {
                focus: box.index === 0 ? [] : [String(box.index)],
                fn: box.index === 0 ? [] : [box.name],
              },
              { push: true },
            )
          }
          onSandwich={(box) => {
            setView('sandwich', { push: true })
            change_({ fn: [box.name] })
          }}
        />
      )}
      {doc.pruned > 0 && (
        <p className="faint">
          {formatNumber(doc.pruned)} thin frames are left out of this picture.
        </p>
      )}
    </>
  )
}
