/** The keys of the stacks; its parts listen themselves. */
import type { KeyTable } from '@/state/keys'

export const STACK_KEYS = {
  benign: { keys: ['b'], does: 'Mark as benign', within: 'On a stack' },
  suspicious: { keys: ['x'], does: 'Mark as suspicious', within: 'On a stack' },
  takeBack: { keys: ['u'], does: 'Clear the mark', within: 'On a stack' },
  frames: {
    keys: ['↑', '↓', '←', '→'],
    does: 'Its caller, its widest callee, its neighbours',
    within: 'On a frame of the flame graph',
  },
  callers: {
    keys: ['s'],
    does: 'Its callers and callees',
    within: 'On a frame of the flame graph',
  },
} as const satisfies KeyTable
