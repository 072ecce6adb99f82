import { describe, expect, it } from 'vitest'
import { matchUnfinished, uploadTotals, type UploadItem } from './uploads'

const unfinished = [
  { id: 'a', path: 'pt-stalk/1-mysqladmin', bytes: 100 },
  { id: 'b', path: 'other/1-mysqladmin', bytes: 100 },
  { id: 'c', path: 'big.txt', bytes: 5 },
]

describe('continuing an upload', () => {
  it('takes the same path and size before the same name and size', () => {
    expect(matchUnfinished('other/1-mysqladmin', 100, unfinished)?.id).toBe('b')
    expect(matchUnfinished('1-mysqladmin', 100, unfinished)?.id).toBe('a')
  })
  it('never continues with a file of another size, nor twice', () => {
    expect(matchUnfinished('big.txt', 6, unfinished)).toBeUndefined()
    expect(matchUnfinished('big.txt', 5, unfinished, new Set(['c']))).toBeUndefined()
  })
})

it('adds up bytes that the server has', () => {
  const item = (change: Partial<UploadItem>): UploadItem => ({
    key: 'k',
    incidentId: 'i',
    path: 'p',
    bytes: 10,
    sent: 0,
    state: 'waiting',
    error: null,
    uploadId: null,
    given: null,
    ...change,
  })
  const totals = uploadTotals([
    item({ state: 'done' }),
    item({ state: 'sending', sent: 4 }),
    item({ state: 'failed', sent: 1 }),
  ])
  expect(totals).toEqual({ files: 3, done: 1, failed: 1, bytes: 30, sent: 15, active: true })
})
