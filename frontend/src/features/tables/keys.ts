/** Keyboard shortcuts of the tables screen. */
import type { KeyTable } from '@/state/keys'

export const SESSION_KEYS = {
  before: { keys: ['['], does: 'Sessions: previous moment' },
  after: { keys: [']'], does: 'Sessions: next moment' },
} satisfies KeyTable
