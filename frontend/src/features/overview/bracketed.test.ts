import { expect, it } from 'vitest'
import { bracketed } from './bracketed'

it('keeps brackets in pairs', () => {
  expect(bracketed('session 390 (idle in transaction 9 s)')).toBe('idle in transaction 9 s, ')
  expect(bracketed('commit queue (redo flush), whose leader writes (fts_sync)')).toBe(
    'redo flush, whose leader writes (fts_sync), ',
  )
  expect(bracketed('latch (a (b) c)')).toBe('a (b) c, ')
  expect(bracketed('session 197')).toBe('')
  expect(bracketed('latch (cut')).toBe('cut, ')
})
