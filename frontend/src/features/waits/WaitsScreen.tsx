/** Who waited for whom at a moment: the graph, its roots, the moments, and everything of a node. */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { Link, useLocation, useNavigate } from 'react-router'
import { ApiProblem } from '@/api/problem'
import type { Locator } from '@/api/schema'
import { useIncidentId } from '@/state/incident'
import { list, oneOf, text, useUrlChange, useUrlState } from '@/state/url'
import { Button } from '@/ui/Button'
import { locatorPath, sourceText, useArtifactByHash } from '@/ui/evidence'
import { EmptyState, Problem, SkeletonRows } from '@/ui/States'
import { Time } from '@/ui/Value'
import { GraphView } from './GraphView'
import { NodeInspector } from './NodeInspector'
import { Roots } from './Roots'
import { Scrubber } from './Scrubber'
import { TableView } from './TableView'
import { TreeView } from './TreeView'
import { nextMoment } from './words'
import { graphQuery, momentsQuery, type Fold } from './queries'
import './waits.css'

const VIEWS = ['graph', 'tree', 'table'] as const
const VIEW = oneOf(VIEWS)
const FOLD = oneOf<Fold>(['auto', 'all', 'none'])

export default function WaitsScreen() {
  const id = useIncidentId()
  const navigate = useNavigate()
  const [at] = useUrlState('at', text, 'worst')
  const [fold, setFold] = useUrlState('fold', FOLD, 'auto')
  const [opened, setOpened] = useUrlState<readonly string[]>('open', list, [])
  const [selected, setSelected] = useUrlState('node', text, '')
  const [view, setView] = useUrlState('view', VIEW, 'graph')
  const change = useUrlChange()
  const moments = useQuery(momentsQuery(id))
  const graph = useQuery(graphQuery(id, at, fold, opened))

  const waiting = useMemo(
    () => (moments.data ?? []).filter((m) => m.waiters + m.lock_waits > 0).map((m) => m.time),
    [moments.data],
  )
  const go = (time: string) => change({ at: [time], open: [], node: [] }, { push: true })
  const shownAt = graph.data?.at ?? null
  const before = nextMoment(waiting, shownAt, -1)
  const after = nextMoment(waiting, shownAt, 1)

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const typing =
        event.target instanceof HTMLElement &&
        event.target.closest('input, textarea, select, .dialog')
      if (typing || event.ctrlKey || event.metaKey || event.altKey) return
      if (event.key !== '[' && event.key !== ']') return
      const to = event.key === ']' ? after : before
      if (to !== null) change({ at: [to], open: [], node: [] }, { push: true })
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [before, after, change])

  if (graph.error instanceof ApiProblem && graph.error.status === 409) {
    return (
      <EmptyState
        title="No waits yet"
        action={
          <Button variant="primary" onClick={() => void navigate('../artifacts')}>
            See the artifacts
          </Button>
        }
      >
        The wait graph appears when an InnoDB status dump, a processlist or a stack sample was read
        and analysed.
      </EmptyState>
    )
  }
  if (graph.isError) {
    return (
      <Problem
        error={graph.error}
        what="The wait graph could not be read"
        onRetry={() => void graph.refetch()}
      />
    )
  }
  if (graph.isPending) return <SkeletonRows rows={12} />
  const data = graph.data
  const node = data.nodes.find((n) => n.id === selected)

  const onNode = (nodeId: string) => {
    const clicked = data.nodes.find((n) => n.id === nodeId)
    if (clicked?.kind === 'group' && selected === nodeId) setOpened([...opened, nodeId])
    setSelected(nodeId)
  }
  return (
    <div className="waits">
      <header className="waits-head">
        <div className="waits-titles">
          <h2 data-testid="wait-headline">{data.headline}</h2>
          <div className="waits-sub muted">
            <span className="mono" data-testid="wait-time">
              <Time at={data.at} zone />
            </span>
            <span>{data.waiters} threads wait</span>
            {data.snapshots.map((one) => (
              <Source key={`${one.artifact}${one.line_first}`} incidentId={id} locator={one} />
            ))}
            {graph.isFetching && <span className="faint">loading…</span>}
          </div>
        </div>
        <div className="waits-tools">
          <Button
            size="small"
            onClick={() => change({ at: [], open: [], node: [] }, { push: true })}
            disabled={at === 'worst'}
          >
            Worst moment
          </Button>
          <div className="segments" role="group" aria-label="View">
            {VIEWS.map((one) => (
              <Button key={one} size="small" pressed={view === one} onClick={() => setView(one)}>
                {one === 'graph' ? 'Graph' : one === 'tree' ? 'Tree' : 'Table'}
              </Button>
            ))}
          </div>
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
        </div>
      </header>
      {data.notes.length > 0 && (
        <ul className="waits-notes">
          {data.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      <div className="waits-body">
        <Roots graph={data} selected={selected} onSelect={setSelected} />
        {data.nodes.length === 0 ? (
          <EmptyState title="Nobody waits at this moment">
            Choose a moment with waiters from the bars below.
          </EmptyState>
        ) : view === 'tree' ? (
          <TreeView graph={data} selected={selected} onSelect={onNode} />
        ) : view === 'table' ? (
          <TableView graph={data} selected={selected} onSelect={onNode} />
        ) : (
          <GraphView graph={data} selected={selected} onSelect={onNode} />
        )}
        {node && (
          <NodeInspector
            incidentId={id}
            graph={data}
            node={node}
            onSelect={setSelected}
            onOpen={() => setOpened([...opened, node.id])}
            onClose={() => setSelected(null)}
          />
        )}
      </div>
      <Scrubber moments={moments.data ?? []} at={data.at} onGo={go} before={before} after={after} />
    </div>
  )
}

/** A snapshot that the graph stands on: its words are the link to its raw lines. */
function Source({ incidentId, locator }: { incidentId: string; locator: Locator }) {
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
