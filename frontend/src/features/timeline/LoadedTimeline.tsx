/** The timeline once its data is there: tools, messages, lanes or tables, overview strip, dialogs. */
import { useRef, useState } from 'react'
import { useMay } from '@/api/queries'
import type { Interval } from '@/charts/range'
import { iso } from '@/charts/time'
import { useZone } from '@/state/incident'
import { oneOf, useUrlChange, useUrlState } from '@/state/url'
import { useViewKeys } from '@/state/viewKeys'
import { Button } from '@/ui/controls/Button'
import { EmptyState } from '@/ui/display/States'
import { onsetShifts, summary } from './model/marks'
import { heatScales } from './model/units'
import { useWhatMoved } from './model/useWhatMoved'
import type { LoadedData, TimelineModel } from './model/useTimeline'
import { AlignedStalls } from './panels/AlignedStalls'
import { AnnotationDialog } from './panels/AnnotationDialog'
import { EventTable } from './panels/EventTable'
import { OtherIncidentsDialog, OtherIncidentsLine } from './panels/OtherIncidents'
import { SeriesPicker } from './panels/SeriesPicker'
import { TimelineBar } from './panels/TimelineBar'
import { TimelineMessages } from './panels/TimelineMessages'
import { WindowBar } from './panels/WindowBar'
import { timelineRows, timelineSvg } from './plot/exportView'
import { LanePlot } from './plot/LanePlot'
import { OverviewStrip } from './plot/OverviewStrip'
import type { TimelineView } from './plot/view'
import { type NoteTarget, useTimelineCommands } from './useTimelineCommands'

const VIEWS = ['lanes', 'table', 'aligned'] as const
const VIEW = oneOf(VIEWS)
const VIEW_NAMES = { lanes: 'Lanes', table: 'Table', aligned: 'Stalls and runs' } as const

type Props = {
  readonly model: TimelineModel
  readonly data: LoadedData
  readonly view: TimelineView
  readonly tileError: unknown
  readonly plotWidth: number
}

/** Which dialog is open; a note carries what it is about. */
type OpenDialog =
  | { readonly kind: 'lanes' | 'incidents' }
  | { readonly kind: 'note'; readonly target: NoteTarget }
  | null

export function LoadedTimeline({ model, data, view, tileError, plotWidth }: Props) {
  const mayWrite = useMay('contributor')
  const [shape, setShape] = useUrlState('view', VIEW, 'lanes')
  const [dialog, setDialog] = useState<OpenDialog>(null)
  const search = useRef<HTMLInputElement>(null)
  const whatMoved = useWhatMoved(model.id, view)
  const showView = (next: (typeof VIEWS)[number]) => setShape(next, { push: true })
  useViewKeys(VIEWS, VIEW_NAMES, showView)
  const [editNote] = useState(
    () => (target: NoteTarget | null) =>
      setDialog(target === null ? null : { kind: 'note', target }),
  )
  const commands = useTimelineCommands({
    ...{ model, view, mayWrite, editNote, marks: data.marks },
    focusSearch: () => search.current?.focus(),
  })
  const { settings, selection, lanes } = model
  const compared = [...model.deltas.values()]
  const zone = useZone()
  const sentence = summary(data.marks, data.range, model.metrics.length, zone)
  return (
    <>
      <Tools
        {...{ model, data, view, mayWrite, commands, search, sentence, whatMoved, setDialog }}
        shape={shape}
        onShape={(next) => showView(shape === next ? 'lanes' : next)}
      />
      <TimelineMessages
        artifacts={model.overview.data?.artifacts}
        incidentId={model.id}
        whatMoved={whatMoved}
        tileError={tileError}
      />
      <OtherIncidentsLine
        others={model.others}
        failed={model.failed}
        onDrop={(incident) =>
          settings.setOtherIds(settings.otherIds.filter((id) => id !== incident))
        }
        onClear={() => settings.setOtherIds(null)}
      />
      <WindowBar
        span={data.range[1] - data.range[0]}
        lanes={compared}
        series={model.seriesById}
        chosen={selection.item}
        onOpen={commands.open}
        onLane={(lane) => selection.setActive(lane)}
        summary={sentence}
        heats={shape === 'lanes' ? heatScales(lanes) : []}
      />
      {shape === 'aligned' ? (
        <AlignedStalls incidentId={model.id} />
      ) : shape === 'table' ? (
        <EventTable
          lanes={lanes}
          range={data.range}
          compared={compared}
          series={model.seriesById}
          paths={model.paths}
          picked={selection.item?.key ?? null}
          onPick={(item, lane) => {
            selection.setActive(lane.id)
            selection.setMark(item.key)
          }}
          onOpen={commands.open}
        />
      ) : lanes.length === 0 ? (
        <EmptyState
          title="No lane has this name"
          action={<Button onClick={() => settings.setQuery('')}>Show all lanes</Button>}
        >
          “{settings.query}” is in no name, label, host, file or meaning of the {model.shown.length}{' '}
          lanes shown, and in no mark.
        </EmptyState>
      ) : (
        <LanePlot {...{ model, view, commands, mayWrite }} marks={data.marks} width={plotWidth} />
      )}
      <OverviewStrip
        view={view}
        name={model.seriesById.get(model.strip.data?.id ?? '')?.title ?? null}
        points={model.strip.data?.points ?? null}
        summarized={model.strip.data?.decimated ? model.strip.data.of : null}
        stalls={data.marks.stalls}
        gaps={model.captured.gaps}
        whole={data.whole}
        width={plotWidth}
      />
      <Dialogs {...{ model, data, mayWrite, dialog, setDialog }} />
    </>
  )
}

type ToolsProps = Pick<Props, 'model' | 'data' | 'view'> & {
  readonly mayWrite: boolean
  readonly commands: ReturnType<typeof useTimelineCommands>
  readonly search: React.RefObject<HTMLInputElement | null>
  readonly sentence: string
  readonly whatMoved: ReturnType<typeof useWhatMoved>
  readonly setDialog: (dialog: OpenDialog) => void
  readonly shape: (typeof VIEWS)[number]
  readonly onShape: (shape: (typeof VIEWS)[number]) => void
}

/** The bar of tools, connected to the model. */
function Tools(props: ToolsProps) {
  const { model, data, view, mayWrite, commands, search, sentence, whatMoved, setDialog } = props
  const { settings, recorded } = model
  const zone = useZone()
  const title = model.incident.data?.title
  const severalOnsets = onsetShifts(data.marks.stalls).size > 1
  const toggleAligned = () => settings.setAligned(!settings.aligned)
  return (
    <TimelineBar
      range={data.range}
      zone={zone}
      search={search}
      query={settings.query}
      onQuery={settings.setQuery}
      moving={whatMoved.busy}
      onMoved={whatMoved.run}
      onWhole={commands.showWhole}
      onFit={commands.fitStall}
      by={settings.groupBy || null}
      onBy={(field) => settings.setGroupBy(field ?? '')}
      aligned={severalOnsets ? { on: settings.aligned, toggle: toggleAligned } : null}
      otherIncidents={settings.otherIds.length}
      onOtherIncidents={() => setDialog({ kind: 'incidents' })}
      onTimes={
        recorded && ((times) => model.setRange(times === 'recorded' ? span(recorded) : null))
      }
      onNote={mayWrite ? () => setDialog({ kind: 'note', target: [...view.range] }) : null}
      exports={{
        name: [title ?? '', 'timeline'],
        svg: () =>
          timelineSvg(view, data.marks.stalls, {
            title: `${title ?? 'Incident'}: timeline`,
            ...{ summary: sentence, zone },
          }),
        rows: () => timelineRows(view),
      }}
      table={props.shape === 'table'}
      onTable={() => props.onShape('table')}
      stalls={props.shape === 'aligned'}
      onStalls={() => props.onShape('aligned')}
      onPick={() => setDialog({ kind: 'lanes' })}
    />
  )
}

const span = ([from, to]: Interval) => ({ from: iso(from), to: iso(to) })

type DialogProps = Pick<Props, 'model' | 'data'> & {
  readonly mayWrite: boolean
  readonly dialog: OpenDialog
  readonly setDialog: (dialog: OpenDialog) => void
}

function Dialogs({ model, data, mayWrite, dialog, setDialog }: DialogProps) {
  const changeUrl = useUrlChange()
  const { settings } = model
  return (
    <>
      <SeriesPicker
        open={dialog?.kind === 'lanes'}
        onOpenChange={(open) => setDialog(open ? { kind: 'lanes' } : null)}
        series={data.series}
        shown={model.shown}
        onAll={() => {
          changeUrl({ series: [] })
          settings.setShow('all')
        }}
        onChange={(next) => {
          settings.setShow(null)
          settings.setChosen(next.length ? next : null)
        }}
      />
      {dialog?.kind === 'incidents' && (
        <OtherIncidentsDialog
          own={model.id}
          chosen={settings.otherIds}
          onChange={(next) => settings.setOtherIds(next.length > 0 ? next : null)}
          onClose={() => setDialog(null)}
        />
      )}
      {dialog?.kind === 'note' && (
        <AnnotationDialog
          incidentId={model.id}
          at={dialog.target}
          mayWrite={mayWrite}
          onClose={() => setDialog(null)}
        />
      )}
    </>
  )
}
