import { describe, expect, it } from 'vitest'
import { unansweredOf } from './Unanswered'

describe('unansweredOf', () => {
  const unanswered = [
    { part: 'hot_waits', why: 'a.txt was left out' },
    { part: 'findings/mdl-pileup', why: 'b.txt was left out' },
  ]
  it('finds a part, and single items of it, and no other', () => {
    expect(unansweredOf({ unanswered }, ['findings'])).toEqual([unanswered[1]])
    expect(unansweredOf({ unanswered }, ['hot_waits', 'hot_latches'])).toEqual([unanswered[0]])
    expect(unansweredOf({ unanswered }, ['find'])).toEqual([])
  })
})
