/** Who waited for whom at a moment: the graph, its roots, the moments, and everything of a node. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo } from 'react'
import { Link, useLocation } from 'react-router'
import { ApiProblem } from '@/api/problem'
import type { Locator } from '@/api/schema'
import { useIncidentId, useZone } from '@/state/incident'
import { useKeys } from '@/state/keys'
import { oneOf, text, useStanding, useUrlChange, useUrlState } from '@/state/url'
import { useViewKeys } from '@/state/viewKeys'
import { Button } from '@/ui/Button'
import { locatorPath, sourceText, useArtifactByHash } from '@/ui/evidence'
import { ExportMenu } from '@/ui/ExportMenu'
import { SeeArtifacts } from '@/ui/SeeArtifacts'
import { EmptyState, Problem, SkeletonRows } from '@/ui/States'
import { Time } from '@/ui/Value'
import { DiffMenu } from './moments/DiffMenu'
import { graphRows, graphSvg } from './graph/drawing'
import { FindBox } from './FindBox'
import { GraphView } from './graph/GraphView'
import { WAIT_KEYS } from './keys'
import { MatrixView } from './matrix/MatrixView'
import { NodeInspector } from './inspector/NodeInspector'
import { Roots } from './Roots'
import { Scrubber } from './moments/Scrubber'
import { TableView } from './TableView'
import { TreeView } from './tree/TreeView'
import { usePlay } from './moments/usePlay'
import { persistenceOf, nextMoment } from './nodeText'
import { ASKED, graphQuery, momentsQuery, persistenceQuery } from './queries'
import './waits.css'

const VIEWS = ['graph', 'tree', 'matrix', 'table'] as const
const VIEW_NAMES = { graph: 'Graph', tree: 'Tree', matrix: 'Matrix', table: 'Table' } as const
const VIEW = oneOf(VIEWS)

export default function WaitsScreen() {
  const id = useIncidentId()
  const zone = useZone()
  const [at] = useUrlState(...ASKED.at)
  const [against, setAgainst] = useUrlState(...ASKED.against)
  const [fold, setFold] = useUrlState(...ASKED.fold)
  const [opened, setOpened] = useUrlState(...ASKED.opened)
  const [words, setWords] = useUrlState(...ASKED.find)
  const [chosen, setSelected] = useUrlState('node', text, '')
  const [view, setView] = useUrlState('view', VIEW, 'graph')
  const change = useUrlChange()
  const client = useQueryClient()
  const moments = useQuery(momentsQuery(id))
  const request = { at, against, fold, opened, find: words }
  const asked = useQuery(graphQuery(id, request))
  // A node that a link names may be folded away: then it is asked for by its name.
  const absent =
    chosen !== '' &&
    asked.isSuccess &&
    !asked.isPlaceholderData &&
    !asked.data.nodes.some((one) => one.id === chosen)
  const sought = useQuery({ ...graphQuery(id, { ...request, find: chosen }), enabled: absent })
  const graph = absent && sought.isSuccess && !sought.isPlaceholderData ? sought : asked
  const data = graph.data
  // Behind the graph: it is computed from all the dumps, and the graph is what one came for.
  const persistence = useQuery({
    ...persistenceQuery(id, graph === sought ? { ...request, find: chosen } : request),
    enabled: graph.isSuccess && !graph.isPlaceholderData,
  })
  const fresh = !graph.isPlaceholderData
  useStanding({ at: fresh ? (data?.at ?? null) : null })
  const selected = chosen || (words && data?.found.length === 1 ? (data.found[0] ?? '') : '')
  const node = data?.nodes.find((one) => one.id === selected)

  const lasting = useMemo(
    () => new Map((persistence.data?.nodes ?? []).map((one) => [one.key, one])),
    [persistence.data],
  )
  const waiting = useMemo(
    () => [
      ...new Set(
        (moments.data ?? []).filter((m) => m.waiters + m.lock_waits > 0).map((m) => m.time),
      ),
    ],
    [moments.data],
  )
  const go = useCallback((time: string, push = true) => change({ at: [time] }, { push }), [change])
  const shownAt = data?.at ?? null
  const before = nextMoment(waiting, shownAt, -1)
  const after = nextMoment(waiting, shownAt, 1)
  const step = useCallback((time: string) => go(time, false), [go])
  const { playing, setPlaying, speed, setSpeed } = usePlay(after, fresh && !graph.isFetching, step)
  useEffect(() => {
    if (playing && after !== null) {
      void client.prefetchQuery(graphQuery(id, { at: after, against, fold, opened, find: words }))
    }
  }, [playing, after, client, id, against, fold, opened, words])
  const play = useCallback(
    (on: boolean) => {
      // At the end, playing begins again at the first.
      if (on && after === null && waiting[0] !== undefined) go(waiting[0])
      setPlaying(on)
    },
    [after, waiting, go, setPlaying],
  )

  const show = (next: (typeof VIEWS)[number]) => setView(next, { push: true })
  useViewKeys(VIEWS, VIEW_NAMES, show)
  useKeys(WAIT_KEYS, {
    before: before === null ? undefined : () => go(before),
    after: after === null ? undefined : () => go(after),
    play: () => play(!playing),
    // One level at a time: the inspector closes itself, then what was looked for, then the difference.
    clear:
      selected || !(words || against)
        ? undefined
        : () => (words ? setWords(null) : setAgainst(null, { push: true })),
  })

  if (graph.error instanceof ApiProblem && graph.error.status === 409) {
    return (
      <EmptyState title="No waits yet" action={<SeeArtifacts />}>
        The wait graph appears when an InnoDB status dump, a processlist or a stack sample was read
        and analysed.
      </EmptyState>
    )
  }
  if (graph.isLoadingError) {
    return (
      <Problem
        error={graph.error}
        what="The wait graph could not be read"
        onRetry={() => void graph.refetch()}
      />
    )
  }
  if (!data) return <SkeletonRows rows={12} />

  const select = (nodeId: string) => setSelected(nodeId || null)
  // What was selected is gone when its members are shown.
  const open = (group: string) =>
    change({ open: [...opened.filter((one) => one !== group), group], node: [] })
  const close = () => change({ node: [], ...(words && !chosen ? { find: [] } : {}) })
  const place = waiting.findIndex((time) => Date.parse(time) === Date.parse(shownAt ?? ''))
  const shared = { graph: data, selected, lasting, persistence: persistence.data }
  const title = `Wait graph at ${zone.format(data.at)}`
  return (
    <div className="waits">
      <header className="waits-head">
        <div className="waits-titles">
          <h2 data-testid="wait-headline">{data.headline}</h2>
          {data.difference && (
            <p className="waits-difference" data-testid="wait-difference" role="status">
              {data.difference}
            </p>
          )}
        </div>
        <div className="waits-sub muted">
          <span className="mono" data-testid="wait-time">
            <Time at={data.at} zone />
          </span>
          <span>{data.waiters} threads wait</span>
          {data.snapshots.map((one) => (
            <Source
              key={`${one.artifact}${one.line_first}${one.text}`}
              incidentId={id}
              locator={one}
            />
          ))}
          {graph.isFetching && <span className="faint">loading…</span>}
        </div>
        <div className="waits-tools">
          <FindBox
            key={words}
            words={words}
            found={words && fresh ? data.found : null}
            selected={selected}
            onFind={(next) => change({ find: next ? [next] : [], node: [] }, { push: true })}
            onSelect={select}
          />
          <div className="segments" role="group" aria-label="View">
            {VIEWS.map((one) => (
              <Button key={one} size="small" pressed={view === one} onClick={() => show(one)}>
                {VIEW_NAMES[one]}
              </Button>
            ))}
          </div>
          <Button
            size="small"
            onClick={() => change({ at: [], open: [], node: [] }, { push: true })}
            disabled={at === 'worst'}
            aria-label="Worst moment"
            title="The moment with the most waiters"
          >
            Worst
          </Button>
          <DiffMenu
            moments={moments.data ?? []}
            at={data.at}
            before={before}
            against={against}
            onCompare={(time) => setAgainst(time || null, { push: true })}
            onSwap={() => data.at && change({ at: [against], vs: [data.at] }, { push: true })}
          />
          <Button
            size="small"
            pressed={!data.folded}
            onClick={() => setFold(data.folded ? 'none' : 'all')}
          >
            {data.folded ? 'Open all groups' : 'Fold'}
          </Button>
          {opened.length > 0 && (
            <Button size="small" onClick={() => setOpened([])}>
              Close {opened.length} open group{opened.length > 1 ? 's' : ''}
            </Button>
          )}
          <ExportMenu
            name={['wait graph', data.at ?? '']}
            svg={() => graphSvg(data, title)}
            rows={() => graphRows(data, lasting)}
            disabled={data.nodes.length === 0}
          />
        </div>
      </header>
      {data.notes.length > 0 && <Notes notes={data.notes} />}
      <div className="waits-body">
        <Roots {...shared} counting={persistence.isLoading} onSelect={select} />
        {data.nodes.length === 0 ? (
          waiting.length > 0 || moments.isPending ? (
            <EmptyState title="Nobody waits at this moment">
              Choose a moment with waiters from the bars below.
            </EmptyState>
          ) : (
            <EmptyState title="No waits were captured">
              No InnoDB status dump, processlist or stack sample that was read shows a thread that
              waits for another.
            </EmptyState>
          )
        ) : view === 'tree' ? (
          <TreeView {...shared} onSelect={select} onOpen={open} />
        ) : view === 'matrix' ? (
          <MatrixView graph={data} selected={selected} onSelect={select} />
        ) : view === 'table' ? (
          <TableView {...shared} onSelect={select} />
        ) : (
          <GraphView {...shared} onSelect={select} onOpen={open} />
        )}
        {node && (
          <NodeInspector
            incidentId={id}
            graph={data}
            node={node}
            stuck={persistenceOf(node, lasting)}
            persistence={persistence.data}
            onSelect={select}
            onFind={(thread) => change({ find: [thread], node: [thread] }, { push: true })}
            onOpen={() => open(node.id)}
            onClose={close}
          />
        )}
        {selected && !node && graph === sought && (
          <p className="waits-absent" role="status">
            <span className="mono">{selected}</span> is not in the graph of this moment.{' '}
            <Button size="small" onClick={close}>
              Forget it
            </Button>
          </p>
        )}
      </div>
      <Scrubber
        moments={moments.data ?? []}
        at={data.at}
        against={data.against}
        onGo={go}
        onCompare={(time) => setAgainst(time, { push: true })}
        before={before}
        after={after}
        playing={playing}
        onPlay={play}
        speed={speed}
        onSpeed={setSpeed}
        place={place >= 0 ? `${place + 1} of ${waiting.length}` : `${waiting.length} moments`}
      />
    </div>
  )
}

/** What the graph cannot know: the first is always in sight, the others on demand. */
function Notes({ notes }: { readonly notes: readonly string[] }) {
  const [first, ...others] = notes
  if (others.length === 0) return <p className="waits-notes">{first}</p>
  return (
    <details className="waits-notes">
      <summary>
        {first} <span className="muted">({others.length} more)</span>
      </summary>
      <ul>
        {others.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </details>
  )
}

/** A snapshot that the graph stands on: its words are the link to its raw lines. */
function Source({
  incidentId,
  locator,
}: {
  readonly incidentId: string
  readonly locator: Locator
}) {
  const { search } = useLocation()
  const find = useArtifactByHash(incidentId)
  const path = locatorPath(incidentId, locator, find, search)
  const words = locator.text || sourceText(locator)
  return path ? (
    <Link to={path} title={sourceText(locator)}>
      {words}
    </Link>
  ) : (
    <span className="faint">{words}</span>
  )
}
