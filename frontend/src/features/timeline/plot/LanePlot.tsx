/** The plot with what the model puts on it: heads of the lanes, stalls, the marked span. */
import type { Marks } from '../model/documents'
import type { Lane } from '../model/laneTypes'
import type { TimelineModel } from '../model/useTimeline'
import type { TimelineCommands } from '../useTimelineCommands'
import { useLaneActions } from '../useLaneActions'
import { GapBands } from './GapBands'
import { LaneHead } from './LaneHead'
import { MarkedSpan } from './MarkedSpan'
import { Plot } from './Plot'
import { StallBands } from './StallBands'
import type { TimelineView } from './view'

type Props = {
  readonly model: TimelineModel
  readonly marks: Marks
  readonly view: TimelineView
  readonly commands: TimelineCommands
  readonly mayWrite: boolean
  readonly width: number
}

export function LanePlot({ model, marks, view, commands, mayWrite, width }: Props) {
  const actions = useLaneActions(model, commands.open)
  const { id, selection, markedSpan, clocks, deltas } = model
  const clockOf = (lane: Lane) =>
    lane.kind === 'metric' && !lane.otherIncident && lane.series.artifact
      ? clocks.get(lane.series.artifact)
      : undefined
  const head = (lane: Lane, index: number) =>
    lane.kind === 'group' ? (
      <span className="tl-group-name">
        {lane.title} <span className="faint">{lane.sub}</span>
      </span>
    ) : (
      <LaneHead
        incidentId={id}
        view={view}
        lane={lane}
        index={index}
        delta={deltas.get(lane.id)}
        clock={clockOf(lane)}
        active={lane.id === selection.active}
        picked={selection.item !== null && lane.id === selection.active}
        mayWrite={mayWrite}
        actions={actions}
      />
    )
  const over = (
    <>
      <GapBands view={view} gaps={model.captured.gaps} />
      <StallBands incidentId={id} view={view} marks={marks} mayWrite={mayWrite} />
      {markedSpan.span && (
        <MarkedSpan
          view={view}
          span={markedSpan.span}
          onKeep={mayWrite ? commands.keepSpan : null}
          onClear={() => markedSpan.setWritten(null)}
        />
      )}
    </>
  )
  return (
    <Plot
      view={view}
      placed={model.placed}
      height={model.height}
      width={width}
      relative={model.settings.aligned ? 'hosts aligned at their onset' : null}
      onPick={commands.selectItem}
      onOpen={commands.open}
      onWhole={commands.showWhole}
      head={head}
      over={over}
    />
  )
}
