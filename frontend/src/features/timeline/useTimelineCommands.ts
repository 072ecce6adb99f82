/** What a person does on the timeline: zoom, pan, walk the marks, open what a mark leads to. */
import { useCallback } from 'react'
import { useNavigate } from 'react-router'
import { panned, zoomed, type Interval } from '@/charts/range'
import { useKeys } from '@/state/keys'
import { sharedSearch } from '@/state/url'
import { TIMELINE_KEYS } from './keys'
import type { Annotation, Marks } from './model/documents'
import { nextItem } from './model/laneStack'
import type { Item, Lane } from './model/laneTypes'
import { writeSpan } from './model/span'
import type { LaneSelection, TimelineModel } from './model/useTimeline'
import type { TimelineView } from './plot/view'

/** What the note dialog opens with: a range or an instant for a new note, or a note to edit. */
export type NoteTarget = Interval | number | Annotation

/** Handles of a stall in the order in which o visits them. */
const HANDLES = ['onset', 'end', 'baselineStart', 'baselineEnd'] as const

type Options = {
  readonly model: TimelineModel
  readonly marks: Marks
  readonly view: TimelineView
  readonly mayWrite: boolean
  readonly editNote: (target: NoteTarget | null) => void
  readonly focusSearch: () => void
}

export type TimelineCommands = ReturnType<typeof useTimelineCommands>

export function useTimelineCommands(options: Options) {
  const { model, marks, view, mayWrite, editNote, focusSearch } = options
  const { lanes, selection, markedSpan, whole } = model
  const open = useOpenItem(marks, editNote)
  const selectItem = (item: Item | null, lane: Lane) => {
    selection.setActive(lane.id)
    selection.setMark(item?.key ?? null)
    if (item?.opens?.kind === 'note') open(item)
  }
  const zoom = (factor: number) => (event?: KeyboardEvent) => {
    const around = view.hover ?? (view.range[0] + view.range[1]) / 2
    view.setRange(zoomed(view.range, event?.shiftKey ? factor ** 3 : factor, around, view.whole))
  }
  const pan = (share: number) => (event?: KeyboardEvent) =>
    view.setRange(panned(view.range, event?.shiftKey ? share * 4 : share, view.whole))
  const fitStall = () => {
    view.forget()
    model.setRange(null, true)
  }
  const showWhole = () => {
    if (whole) view.jumpTo(whole)
  }
  const selectedSpan = () => spanOfSelection(view, lanes, selection)
  const keepSpan = () => editNote(markedSpan.span ?? selectedSpan() ?? [...view.range])
  const fitSelection = () => {
    const around = markedSpan.span ?? selectedSpan()
    if (!around) return fitStall()
    const margin = (around[1] - around[0]) * 0.05
    view.jumpTo([around[0] - margin, around[1] + margin])
  }
  useKeys(TIMELINE_KEYS, {
    zoomIn: zoom(0.7),
    zoomOut: zoom(1 / 0.7),
    earlier: pan(-0.15),
    later: pan(0.15),
    whole: showWhole,
    fit: fitSelection,
    mark: () => markedSpan.setWritten(writeSpan(selectedSpan() ?? [...view.range])),
    keep: mayWrite ? keepSpan : undefined,
    clear: markedSpan.written ? () => markedSpan.setWritten(null) : undefined,
    handles: focusNextHandle,
    next: () => stepMark(view, lanes, selection, true),
    previous: () => stepMark(view, lanes, selection, false),
    note: () => {
      if (mayWrite) editNote(view.hover ?? view.range[0])
    },
    rangeNote: () => {
      if (mayWrite) editNote(view.range)
    },
    search: focusSearch,
  })
  return { open, selectItem, fitStall, showWhole, keepSpan }
}

/** Go to what an item leads to: a wait graph, an experiment, raw lines, or the note dialog. */
function useOpenItem(marks: Marks, editNote: Options['editNote']) {
  const navigate = useNavigate()
  return useCallback(
    ({ opens }: Item) => {
      if (!opens) return
      const go = (screen: string, extra: Readonly<Record<string, string>>) =>
        void navigate({
          pathname: `../${screen}`,
          search: sharedSearch(window.location.search, extra),
        })
      if (opens.kind === 'moment') go('waits', { at: opens.at })
      else if (opens.kind === 'experiment') go('experiments', { experiment: opens.id })
      else if (opens.kind === 'lines') {
        go('artifacts', { artifact: opens.artifact, line: String(opens.line) })
      } else editNote(marks.annotations.find((note) => note.id === opens.id) ?? null)
    },
    [navigate, marks, editNote],
  )
}

/** The span of the selected mark on the shown clock; null where no mark with a length is selected. */
function spanOfSelection(
  view: TimelineView,
  lanes: readonly Lane[],
  { active, item }: LaneSelection,
): Interval | null {
  const lane = item && lanes.find((candidate) => candidate.id === active)
  if (!lane || item.end <= item.start) return null
  const shift = view.shiftOf(lane)
  return [item.start + shift, item.end + shift]
}

/** Select the next mark of the active lane; on a lane without marks, move the crosshair. */
function stepMark(
  view: TimelineView,
  lanes: readonly Lane[],
  selection: LaneSelection,
  forward: boolean,
): void {
  const lane =
    lanes.find((candidate) => candidate.id === selection.active) ??
    lanes.find((candidate) => 'items' in candidate)
  if (!lane) return
  const shift = view.shiftOf(lane)
  const [start, end] = view.range
  // Without a selected mark, a mark exactly at the pointer is the next one.
  const pointer = (view.hover ?? start) - shift + (forward ? -1 : 1)
  if (!('items' in lane)) {
    const by = ((end - start) / view.width) * (forward ? 4 : -4)
    view.setHover(Math.min(end, Math.max(start, pointer + by + shift)))
    return
  }
  const next = nextItem(lane.items, selection.item?.start ?? pointer, forward)
  if (!next) return
  selection.setActive(lane.id)
  selection.setMark(next.key)
  const at = next.start + shift
  view.setHover(at)
  if (at < start || at > end) view.jumpTo([at - (end - start) / 2, at + (end - start) / 2])
}

function focusNextHandle(): void {
  const handles = HANDLES.flatMap((which) => [
    ...document.querySelectorAll<HTMLElement>(`.tl-handle[data-which="${which}"]:not([hidden])`),
  ])
  const next =
    (handles.findIndex((handle) => handle === document.activeElement) + 1) % handles.length
  handles[next]?.focus({ preventScroll: true })
}
