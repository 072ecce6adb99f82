/** Who waited for whom at a moment: the graph, its roots, the moments, and everything of a node. */
import { ApiProblem } from '@/api/problem'
import { useKeys } from '@/state/keys'
import { useViewKeys } from '@/state/viewKeys'
import { Button } from '@/ui/controls/Button'
import { SeeArtifacts } from '@/ui/evidence/SeeArtifacts'
import { MissingAnswers } from '@/ui/evidence/Unanswered'
import { EmptyState, Problem, SkeletonRows } from '@/ui/display/States'
import { GraphView } from './graph/GraphView'
import { NodeInspector } from './inspector/NodeInspector'
import { WAIT_KEYS } from './keys'
import { MatrixView } from './matrix/MatrixView'
import { Scrubber } from './moments/Scrubber'
import { persistenceOf } from './nodeText'
import { Roots } from './Roots'
import { TableView } from './TableView'
import { TreeView } from './tree/TreeView'
import { useWaits, VIEWS, type WaitsModel } from './useWaits'
import type { WaitGraph } from './waitGraph'
import { VIEW_NAMES, WaitsHeader } from './WaitsHeader'
import './waits.css'

export default function WaitsScreen() {
  const model = useWaits()
  useWaitsKeys(model)
  const { graph, data } = model
  const isRefused = graph.error instanceof ApiProblem && graph.error.status === 409
  if (isRefused || model.isUnanalysed) {
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
        what="The wait graph could not be loaded"
        onRetry={() => void graph.refetch()}
      />
    )
  }
  if (!data) return <SkeletonRows rows={12} />
  return (
    <div className="waits">
      <WaitsHeader model={model} graph={data} />
      <MissingAnswers
        incidentId={model.incidentId}
        parts={['stalls', 'waits', 'blocked_time', 'roots', 'hot_latches']}
      />
      {data.notes.length > 0 && <Notes notes={data.notes} />}
      <WaitsBody model={model} graph={data} />
      <Scrubber
        moments={model.moments.data ?? []}
        captured={model.captured}
        at={data.at}
        against={data.against}
        played={model.played}
        onStep={model.goTo}
        onGo={model.goToMoment}
        onCompare={model.compareWith}
        before={model.before}
        after={model.after}
        playing={model.playing}
        onPlay={model.play}
        speed={model.speed}
        onSpeed={model.setSpeed}
        place={model.place}
      />
    </div>
  )
}

function useWaitsKeys(model: WaitsModel) {
  const { before, after, playing, selectedNode, words, against, goTo } = model
  useViewKeys(VIEWS, VIEW_NAMES, model.showView)
  useKeys(WAIT_KEYS, {
    before: before === null ? undefined : () => goTo(before),
    after: after === null ? undefined : () => goTo(after),
    play: () => model.play(!playing),
    // The inspector closes itself first.
    clear: selectedNode || !(words || against) ? undefined : model.clearOneLevel,
  })
}

/** The roots, the chosen view, and the inspector of the selected node. */
function WaitsBody({ model, graph }: { readonly model: WaitsModel; readonly graph: WaitGraph }) {
  const { selectedId, selectedNode, lasting, persistence } = model
  const shared = { graph, selected: selectedId, lasting, persistence: persistence.data }
  return (
    <div className="waits-body">
      <Roots
        {...shared}
        counting={persistence.isLoading}
        onSelect={model.select}
        stallRoot={model.stallRoot}
        onStallRoot={model.showRoot}
      />
      {graph.nodes.length === 0 ? (
        <NobodyWaits elsewhere={model.waiting.length > 0 || model.moments.isPending} />
      ) : model.view === 'tree' ? (
        <TreeView {...shared} onSelect={model.select} onOpen={model.openGroup} />
      ) : model.view === 'matrix' ? (
        <MatrixView graph={graph} selected={selectedId} onSelect={model.select} />
      ) : model.view === 'table' ? (
        <TableView {...shared} onSelect={model.select} />
      ) : (
        <GraphView {...shared} onSelect={model.select} onOpen={model.openGroup} />
      )}
      {selectedNode && (
        <NodeInspector
          incidentId={model.incidentId}
          graph={graph}
          node={selectedNode}
          stuck={persistenceOf(selectedNode, lasting)}
          persistence={persistence.data}
          onSelect={model.select}
          onFind={model.showThread}
          onOpen={() => model.openGroup(selectedNode.id)}
          onClose={model.closeInspector}
        />
      )}
      {selectedId && !selectedNode && model.isMissingChosen && (
        <p className="waits-absent" role="status">
          <span className="mono">{selectedId}</span> is not in the graph of this moment.{' '}
          <Button size="small" onClick={model.closeInspector}>
            Forget it
          </Button>
        </p>
      )}
    </div>
  )
}

function NobodyWaits({ elsewhere }: { readonly elsewhere: boolean }) {
  return elsewhere ? (
    <EmptyState title="No waiters at this moment">
      Choose a moment with waiters from the bars below.
    </EmptyState>
  ) : (
    <EmptyState title="No waits were captured">
      No InnoDB status dump, processlist or stack sample that was read shows a thread that waits for
      another.
    </EmptyState>
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
