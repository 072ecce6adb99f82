/** What the heads of the lanes can ask for: activate, set up, move, remove, open the file. */
import { useLayoutEffect, useState } from 'react'
import { useNavigate } from 'react-router'
import { sharedSearch, useUrlChange } from '@/state/url'
import { changed, writeChoices } from './model/laneChoices'
import type { Item, Lane } from './model/laneTypes'
import type { TimelineModel } from './model/useTimeline'
import { LatestLaneActions } from './plot/laneActions'

export function useLaneActions(model: TimelineModel, open: (item: Item) => void) {
  const navigate = useNavigate()
  const changeUrl = useUrlChange()
  const [actions] = useState(() => new LatestLaneActions())
  const { lanes, selection, settings, shown } = model
  const arrange = (lane: Lane, to: number) => settings.setOrder(reorder(lanes, lane, to))
  // Before the paint: Enter must open the mark that the screen shows as chosen.
  useLayoutEffect(() =>
    actions.set({
      activate: (lane) => {
        selection.setActive(lane.id === selection.active ? null : lane.id)
        selection.setMark(null)
      },
      enter: () => selection.item && open(selection.item),
      choose: (lane, change) =>
        changeUrl({ set: writeChoices(changed(settings.choices, lane.id, change)) }),
      move: arrange,
      drop: (dragged, index) => {
        const other = lanes.find((lane) => lane.id === dragged)
        if (other) arrange(other, index)
      },
      source: ({ artifact }) =>
        void navigate({
          pathname: '../artifacts',
          search: sharedSearch(window.location.search, { artifact }),
        }),
      remove: (lane) =>
        lane.otherIncident
          ? settings.setOtherIds(
              settings.otherIds.filter((id) => id !== lane.otherIncident?.incident),
            )
          : settings.setChosen(shown.filter((id) => id !== lane.id)),
    }),
  )
  return actions
}

/** Ids of the lanes up to the last that is out of its own place; the others keep theirs. */
function reorder(lanes: readonly Lane[], lane: Lane, to: number): string[] {
  const ids = lanes.flatMap(({ kind, id }) => (kind === 'group' ? [] : [id]))
  const from = ids.indexOf(lane.id)
  const target = Math.min(ids.length - 1, Math.max(0, to))
  ids.splice(target, 0, ...ids.splice(from, 1))
  return ids.slice(0, Math.max(from, target) + 1)
}
