/** Keyboard shortcuts of the report; the editor of a section handles them itself. */
import type { KeyTable } from '@/state/keys'

export const REPORT_KEYS = {
  insert: { keys: ['/'], does: 'Insert a block or a pin', within: 'In the text' },
  moveBlock: {
    keys: ['Alt+↑', 'Alt+↓'],
    does: 'Move the block at the cursor, also into the next section',
    within: 'In the text',
  },
} as const satisfies KeyTable
