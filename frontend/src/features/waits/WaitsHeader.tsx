/** The head of the wait screen: what the graph says, where it comes from, and the tools. */
import { Link, useLocation } from 'react-router'
import type { Locator } from '@/api/schema'
import { useZone } from '@/state/incident'
import { Button } from '@/ui/controls/Button'
import { locatorPath, sourceText, useArtifactByHash } from '@/ui/evidence/evidence'
import { ExportMenu } from '@/ui/controls/ExportMenu'
import { Time } from '@/ui/display/Value'
import { FindBox } from './FindBox'
import { graphRows, graphSvg } from './graph/drawing'
import { DiffMenu } from './moments/DiffMenu'
import { VIEWS, type View, type WaitsModel } from './useWaits'
import type { WaitGraph } from './waitGraph'

export const VIEW_NAMES: Readonly<Record<View, string>> = {
  graph: 'Graph',
  tree: 'Tree',
  matrix: 'Matrix',
  table: 'Table',
}

type Props = { readonly model: WaitsModel; readonly graph: WaitGraph }

export function WaitsHeader({ model, graph }: Props) {
  return (
    <header className="waits-head">
      <div className="waits-titles">
        <h2 data-testid="wait-headline">{graph.headline}</h2>
        {graph.difference && (
          <p className="waits-difference" data-testid="wait-difference" role="status">
            {graph.difference}
          </p>
        )}
      </div>
      <div className="waits-sub muted">
        <span className="mono" data-testid="wait-time">
          <Time at={graph.at} zone />
        </span>
        <span>{graph.waiters === 1 ? '1 session waits' : `${graph.waiters} sessions wait`}</span>
        {graph.snapshots.map((locator) => (
          <Source
            key={`${locator.artifact}${locator.line_first}${locator.text}`}
            incidentId={model.incidentId}
            locator={locator}
          />
        ))}
        {model.graph.isFetching && <span className="faint">loading…</span>}
      </div>
      <Tools model={model} graph={graph} />
    </header>
  )
}

function Tools({ model, graph }: Props) {
  const zone = useZone()
  const { words, isFresh, view, opened } = model
  return (
    <div className="waits-tools">
      <FindBox
        key={words}
        words={words}
        found={words && isFresh ? graph.found : null}
        selected={model.selectedId}
        onFind={model.search}
        onSelect={model.select}
      />
      <div className="segments" role="group" aria-label="View">
        {VIEWS.map((name) => (
          <Button
            key={name}
            size="small"
            pressed={view === name}
            onClick={() => model.showView(name)}
          >
            {VIEW_NAMES[name]}
          </Button>
        ))}
      </div>
      <Button
        size="small"
        onClick={model.showWorst}
        disabled={model.at === 'worst'}
        aria-label="Worst moment"
        title="The moment that shows best what the stall waited for"
      >
        Worst
      </Button>
      <DiffMenu
        moments={model.moments.data ?? []}
        at={graph.at}
        before={model.before}
        against={model.against}
        onCompare={model.compareWith}
        onSwap={() => graph.at && model.swapWith(graph.at)}
      />
      <Button
        size="small"
        pressed={!graph.folded}
        onClick={() => model.setFold(graph.folded ? 'none' : 'all')}
      >
        {graph.folded ? 'Open all groups' : 'Fold'}
      </Button>
      {opened.length > 0 && (
        <Button size="small" onClick={() => model.setOpened([])}>
          Close {opened.length} open group{opened.length > 1 ? 's' : ''}
        </Button>
      )}
      <ExportMenu
        name={['wait graph', graph.at ?? '']}
        svg={() => graphSvg(graph, `Wait graph at ${zone.format(graph.at)}`)}
        rows={() => graphRows(graph, model.lasting)}
        disabled={graph.nodes.length === 0}
      />
    </div>
  )
}

/** A snapshot that the graph is computed from: its words are the link to its raw lines. */
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
