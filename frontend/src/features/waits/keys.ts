/** The keys of the wait graph. */
import type { KeyTable } from '@/state/keys'

export const WAIT_KEYS = {
  before: { keys: ['['], does: 'Previous moment with waiters' },
  after: { keys: [']'], does: 'Next moment with waiters' },
  play: { keys: [' '], does: 'Play or pause' },
  clear: { keys: ['Escape'], does: 'Clear the search, then the difference' },
  graphNode: {
    keys: ['↑', 'k', '↓', 'j'],
    does: 'The node above or below',
    within: 'In the graph',
  },
  graphEdge: {
    keys: ['←', '→'],
    does: 'To its blocker, to its waiters',
    within: 'In the graph',
  },
  graphZoom: { keys: ['+', '-', 'f'], does: 'Zoom in, zoom out, fit', within: 'In the graph' },
  treeRow: { keys: ['↑', 'k', '↓', 'j'], does: 'The row above or below', within: 'In the tree' },
  treeBranch: {
    keys: ['→', '←'],
    does: 'Open or close a branch',
    within: 'In the tree',
  },
  treeEnds: { keys: ['Home', 'End'], does: 'First row, last row', within: 'In the tree' },
  treeChoose: { keys: ['Enter', ' '], does: 'Select the row', within: 'In the tree' },
} as const satisfies KeyTable
