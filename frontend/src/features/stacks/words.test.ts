import { describe, expect, it } from 'vitest'
import {
  callersApart,
  categoryWords,
  frameSource,
  type Group,
  sessionWords,
  splitName,
  threadRows,
  tone,
} from './words'

const group = (id: string, more: Partial<Group> = {}): Group => ({
  id,
  name: id,
  count: 1,
  share: 0.1,
  frames: [],
  signature: null,
  category: null,
  activity: 'latch',
  set_aside: false,
  meaning: null,
  waits_on: [],
  threads: [],
  artifact: 'a',
  line_first: 1,
  line_last: 2,
  variants: 1,
  verdict: null,
  ...more,
})
const frame = (name: string) => ({ function: name, file: null, line: null, library: null })
const thread = (pthread: string, lwp: number) => ({ pthread, lwp, name: null })

it('colours by what the threads do', () => {
  expect(tone({ activity: 'cpu' })).toBe('running')
  expect(tone({ activity: 'latch' })).toBe('waiting')
  expect(tone({ activity: 'idle' })).toBe('idle')
  expect(categoryWords('row_lock_wait')).toBe('row lock wait')
})

it('lists threads one by one, those without ids together, idle ones on demand', () => {
  const groups = [
    group('spin', { count: 2, threads: [thread('140', 7), thread('141', 8)] }),
    group('pmp', { count: 9, frames: [frame('row_search_mvcc(unsigned char*)')] }),
    group('poll', { count: 5, set_aside: true, threads: [thread('9', 1)] }),
  ]
  const keys = (more: object) =>
    threadRows({ groups }, { idle: false, frame: '', words: '', ...more }).map(
      (thread) => thread.key,
    )
  expect(keys({})).toEqual(['140', '141', 'group:pmp'])
  expect(keys({ idle: true })).toContain('9')
  expect(keys({ words: '141' })).toEqual(['141'])
  expect(keys({ frame: 'row_search_mvcc' })).toEqual(['group:pmp'])
  expect(threadRows({ groups }, { idle: false, frame: '', words: 'mvcc' })[0]?.count).toBe(9)
})

it('says of sessions what the processlist says', () => {
  expect(sessionWords({ command: 'Query', state: 'updating' })).toBe('Query: updating')
  expect(sessionWords({ command: 'Sleep', state: '' })).toBe('Sleep')
  expect(sessionWords({ command: null, state: null })).toBe('no state')
})
it('gives the source of a frame as far as it is known', () => {
  expect(frameSource({ file: 'btr0sea.cc', line: 202 })).toBe('btr0sea.cc:202')
  expect(frameSource({ file: 'btr0sea.cc', line: null })).toBe('btr0sea.cc')
  expect(frameSource({ file: null, line: 3 })).toBe('')
})

it('tells a function from the one it is called in', () => {
  expect(splitName('rw_lock_s_lock_spin in row_search_mvcc')).toEqual([
    'rw_lock_s_lock_spin',
    'row_search_mvcc',
  ])
  expect(splitName('page_rec_get_n_recs_before')).toEqual(['page_rec_get_n_recs_before', null])
})

describe('groups of one name', () => {
  const group = (id: string, ...called: string[]) => ({
    id,
    name: 'wait in get_page',
    frames: called.map((name) => ({ function: name, file: null, line: null })) as Group['frames'],
  })
  it('differ by the callers further out, else by any frame', () => {
    const apart = callersApart([
      group('a', 'futex', 'wait', 'get_page', 'search', 'insert', 'main'),
      group('b', 'yield', 'wait', 'get_page', 'search', 'read', 'next', 'run', 'main'),
    ])
    expect([...apart]).toEqual([
      ['a', 'insert'],
      ['b', 'read < next'],
    ])
    const inner = [group('a', 'futex', 'wait', 'get_page'), group('b', 'yield', 'wait', 'get_page')]
    expect(callersApart(inner).get('b')).toBe('yield')
    expect(callersApart([group('a', 'wait', 'get_page', 'main')]).size).toBe(0)
  })
})
