/** Keys of the suggestions and of the matrix; each acts while its part has the focus. */
import type { KeyTable } from '@/state/keys'

export const SUGGESTION_KEYS = {
  accept: { keys: ['Enter'], does: 'Create a hypothesis', within: 'In the suggestions' },
  dismiss: { keys: ['Delete'], does: 'Dismiss it, with a reason', within: 'In the suggestions' },
} as const satisfies KeyTable

export const MATRIX_KEYS = {
  move: {
    keys: ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Home', 'End'],
    does: 'Another cell',
    within: 'In the matrix',
  },
  rate: {
    keys: ['1', '2', '3', '4', '5'],
    does: 'Rate: very consistent to very inconsistent',
    within: 'In the matrix',
  },
  notApplicable: { keys: ['0'], does: 'Rate: not applicable', within: 'In the matrix' },
  takeBack: { keys: ['Backspace'], does: 'Clear your rating', within: 'In the matrix' },
  accept: { keys: ['Enter'], does: 'Accept the proposed rating', within: 'In the matrix' },
  comment: { keys: ['c'], does: 'Comment on the cell', within: 'In the matrix' },
} as const satisfies KeyTable
