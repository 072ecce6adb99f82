/** The keys of the timeline. */
import type { KeyTable } from '@/state/keys'

export const TIMELINE_KEYS = {
  zoomIn: { keys: ['w'], does: 'Zoom in; with Shift, further' },
  zoomOut: { keys: ['s'], does: 'Zoom out; with Shift, further' },
  earlier: { keys: ['a', 'ArrowLeft'], does: 'Earlier; with Shift, further' },
  later: { keys: ['d', 'ArrowRight'], does: 'Later; with Shift, further' },
  whole: { keys: ['0'], does: 'The whole capture' },
  fit: { keys: ['f'], does: 'Fit the marked span, the chosen mark, or the stall' },
  mark: { keys: ['m'], does: 'Mark the chosen stretch, or what is shown' },
  keep: { keys: ['Shift+m'], does: 'Keep the marked span as a note' },
  clear: { keys: ['Escape'], does: 'Clear the marked span' },
  handles: { keys: ['o'], does: 'To the handles of the stall: onset, end, baseline' },
  next: { keys: ['.'], does: 'The next mark or sample of the lane' },
  previous: { keys: [','], does: 'The mark or sample before' },
  open: { keys: ['Enter'], does: 'Open the chosen mark', within: 'On the head of its lane' },
  note: { keys: ['n'], does: 'Note at the crosshair' },
  rangeNote: { keys: ['Shift+n'], does: 'Note on the range that is shown' },
  search: { keys: ['q'], does: 'Search the lanes' },
} as const satisfies KeyTable
