import { expect, it } from 'vitest'
import { didMany, groupEntries } from './groups'

const entry = (id: number, action: string, user_name = 'Ana', minute = id) => ({
  ...{ id: String(id), action, user_name, user_id: user_name, incident_id: 'i' },
  ...{ at: new Date(minute * 60_000).toISOString(), target: 't', name: null, detail: {} },
})
const uploads = Array.from({ length: 26 }, (_, index) => entry(index, 'artifact.uploaded'))

it('folds what one person did many times, and only that', () => {
  const all = [entry(90, 'comment.created'), ...uploads, entry(27, 'artifact.uploaded', 'Bram')]
  const runs = groupEntries(all)
  expect(runs.map((run) => run.length)).toEqual([1, 26, 1])
  expect(runs.flat()).toEqual(all)
  expect(didMany(runs[1] ?? [], false)).toBe('uploaded 26 files')
  expect(didMany(runs[1] ?? [], true)).toBe('uploaded 26 or more files')
})

it('keeps apart what lies hours apart, and leaves two entries as they are', () => {
  const apart = [1, 100, 200].map((minute) => entry(minute, 'pin.created', 'Ana', minute))
  expect(groupEntries(apart)).toHaveLength(3)
  expect(groupEntries(uploads.slice(0, 2))).toHaveLength(2)
})

it('has words for every action', () => {
  const runs = groupEntries([1, 2, 3].map((id) => entry(id, 'text.edited')))
  expect(didMany(runs[0] ?? [], false)).toBe('wrote in the t, 3 times')
})
