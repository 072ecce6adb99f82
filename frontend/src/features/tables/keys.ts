/** What the tables listen to. */
import type { KeyTable } from '@/state/keys'

export const SESSION_KEYS = {
  before: { keys: ['['], does: 'Sessions: the moment before' },
  after: { keys: [']'], does: 'Sessions: the moment after' },
} satisfies KeyTable
