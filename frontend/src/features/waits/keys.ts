/** The keys of the wait graph. */
import type { KeyTable } from '@/state/keys'

export const WAIT_KEYS = {
  before: { keys: ['['], does: 'The moment before at which sessions wait' },
  after: { keys: [']'], does: 'The moment after at which sessions wait' },
  play: { keys: [' '], does: 'Play through the moments, or stop' },
  clear: { keys: ['Escape'], does: 'End the search, then the difference' },
  graphNode: {
    keys: ['↑', 'k', '↓', 'j'],
    does: 'The node above or below',
    within: 'In the graph',
  },
  graphEdge: {
    keys: ['←', '→'],
    does: 'To what it waits for, to what waits behind it',
    within: 'In the graph',
  },
  graphZoom: { keys: ['+', '-', 'f'], does: 'Closer, further, all of it', within: 'In the graph' },
  treeRow: { keys: ['↑', 'k', '↓', 'j'], does: 'The row above or below', within: 'In the tree' },
  treeBranch: {
    keys: ['→', '←'],
    does: 'Open, close; into a branch, out of it',
    within: 'In the tree',
  },
  treeEnds: { keys: ['Home', 'End'], does: 'The first row, the last', within: 'In the tree' },
  treeChoose: { keys: ['Enter', ' '], does: 'Choose the row', within: 'In the tree' },
} as const satisfies KeyTable
