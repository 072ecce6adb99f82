/** The timeline: lanes of everything on one clock, with one range for all screens. */
import { useWidth } from '@/charts/useWidth'
import { useIncidentId } from '@/state/incident'
import { SeeArtifacts } from '@/ui/evidence/SeeArtifacts'
import { EmptyState, Problem, SkeletonRows } from '@/ui/display/States'
import { LoadedTimeline } from './LoadedTimeline'
import { useTimeline } from './model/useTimeline'
import { LEFT, RIGHT } from './plot/layout'
import { useTimelineView } from './plot/useTimelineView'
import './timeline.css'

export default function TimelineScreen() {
  const [frame, width] = useWidth<HTMLDivElement>(1200)
  const plotWidth = Math.max(100, width - LEFT - RIGHT)
  const model = useTimeline(useIncidentId(), plotWidth)
  const { view, tileError } = useTimelineView(model)
  const { series, marks, range, whole } = model
  if (series.isLoadingError || marks.isLoadingError) {
    return (
      <Problem
        error={series.error ?? marks.error}
        what="The timeline could not be loaded"
        onRetry={() => {
          void series.refetch()
          void marks.refetch()
        }}
      />
    )
  }
  if (series.isPending || marks.isPending) return <SkeletonRows rows={10} />
  if (!range || !whole) {
    return (
      <EmptyState title="No data with times yet" action={<SeeArtifacts />}>
        Lanes appear when counters, processlists or status dumps were read and analysed. A file
        without any time needs a zone or an offset: it says so among the artifacts.
      </EmptyState>
    )
  }
  return (
    <div className="timeline" ref={frame}>
      <LoadedTimeline
        model={model}
        data={{ series: series.data, marks: marks.data, range, whole }}
        view={view}
        tileError={tileError}
        plotWidth={plotWidth}
      />
    </div>
  )
}
