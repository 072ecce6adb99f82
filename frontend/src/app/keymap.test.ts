import { describe, expect, it } from 'vitest'
import { clashes, type KeyTable } from '@/state/keys'
import { viewKeys } from '@/state/viewKeys'
import { PIN_KEYS } from '@/ui/evidence/pinKey'
import { UNDO_KEYS } from '@/ui/history/undoKeys'
import { LINK_KEYS } from './CopyLink'
import { SHEET_KEYS } from './KeySheet'

/** Every table of keys that a screen exports: features/<screen>/keys.ts. */
const SCREENS = import.meta.glob<Record<string, KeyTable>>('../features/*/keys.ts', { eager: true })
const EVERYWHERE: KeyTable = {
  ...LINK_KEYS,
  ...SHEET_KEYS,
  ...PIN_KEYS,
  ...UNDO_KEYS,
  palette: { keys: ['/'], does: 'Search or run a command' },
  ...viewKeys('123456789'.split('')),
  go: { keys: ['g'], does: 'Go to a screen' },
}

describe('one key, one meaning on a screen', () => {
  it('holds everywhere', () => expect(clashes(EVERYWHERE)).toEqual([]))
  it.each(Object.entries(SCREENS))('holds for %s', (_, module) => {
    expect(clashes(EVERYWHERE, ...Object.values(module))).toEqual([])
  })
})
