import type { KeyTable } from '@/state/keys'

export const UNDO_KEYS = {
  undo: { keys: ['z'], does: 'Undo the last removal or change of status, while it is offered' },
} as const satisfies KeyTable
