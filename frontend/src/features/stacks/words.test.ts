import { expect, it } from 'vitest'
import { categoryWords, frameSource, sessionWords, telling, tone } from './words'

const stack = (...names: string[]) => ({
  frames: names.map((name) => ({ function: name, file: null, line: null, library: null })),
})

it('names the first function that says what the thread does', () => {
  expect(telling(stack('__GI_sched_yield', 'rw_lock_s_lock_spin', 'row_search_mvcc'))).toBe(
    'row_search_mvcc',
  )
  expect(telling(stack('lll_mutex_lock_optimized', 'sync_array_get', 'btr_search_sys'))).toBe(
    'btr_search_sys',
  )
  expect(telling(stack('??', 'poll'))).toBe('??')
  expect(telling(stack())).toBe('empty stack')
})
it('claims no colour without a signature', () => {
  expect(tone({ set_aside: false, category: null })).toBe('plain')
  expect(tone({ set_aside: false, category: 'latch_wait' })).toBe('waiting')
  expect(tone({ set_aside: true, category: 'latch_wait' })).toBe('idle')
  expect(categoryWords('row_lock_wait')).toBe('row lock wait')
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
