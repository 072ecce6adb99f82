import { act, renderHook } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { forgetDrafts, useStored } from './stored'
import { draftKey, keepDraft } from './textDrafts'

const EMPTY = { statement: '', falsifier: '' }

describe('useStored', () => {
  beforeEach(() => localStorage.clear())

  it('gives back after a crash what was typed', () => {
    const first = renderHook(() => useStored('draft.x', EMPTY))
    act(() => first.result.current[1]({ ...EMPTY, statement: 'the disk' }))
    first.unmount()
    const second = renderHook(() => useStored('draft.x', EMPTY))
    expect(second.result.current[0]).toEqual({ statement: 'the disk', falsifier: '' })
  })

  it('forgets what is empty again, also when the form is gone by then', () => {
    const { result, unmount } = renderHook(() => useStored('draft.x', EMPTY))
    act(() => result.current[1]({ ...EMPTY, statement: 'the disk' }))
    const [, set] = result.current
    unmount()
    set(EMPTY)
    expect(localStorage.length).toBe(0)
  })

  it('fills in what an older form did not have, and reads over what is broken', () => {
    localStorage.setItem('pileup.draft.x', '{"statement":"old"}')
    expect(renderHook(() => useStored('draft.x', EMPTY)).result.current[0]).toEqual({
      statement: 'old',
      falsifier: '',
    })
    localStorage.setItem('pileup.draft.x', '{"statem')
    expect(renderHook(() => useStored('draft.x', EMPTY)).result.current[0]).toEqual(EMPTY)
  })

  it('keeps nothing without a key', () => {
    const { result } = renderHook(() => useStored(null, ''))
    act(() => result.current[1]('typed'))
    expect(result.current[0]).toBe('typed')
    expect(localStorage.length).toBe(0)
  })

  it('forgets drafts at sign-out, and keeps what is no text of people', () => {
    localStorage.setItem('pileup.draft.x', '{"statement":"typed"}')
    localStorage.setItem('pileup.rail.open', 'true')
    keepDraft(draftKey('incident', 'summary', 1), new Uint8Array([1]))
    expect(localStorage.length).toBe(3)
    forgetDrafts()
    expect(Object.keys(localStorage)).toEqual(['pileup.rail.open'])
  })
})
