import { describe, expect, it } from 'vitest'
import { complete, namesFor, pieces } from './mentions'

const people = [
  { id: '1', name: 'Ada Lovelace' },
  { id: '2', name: 'Bob' },
]

describe('names', () => {
  it('offers who goes on like what was typed, and nobody in an address', () => {
    expect(namesFor('look @a', 7, people).map((named) => named.name)).toEqual(['Ada Lovelace'])
    expect(namesFor('look @love', 10, people).map((named) => named.name)).toEqual(['Ada Lovelace'])
    expect(namesFor('@', 1, people)).toHaveLength(2)
    expect(namesFor('ada@b', 5, people)).toEqual([])
    expect(namesFor('@Bob', 4, people)).toEqual([])
    expect(namesFor('no name', 3, people)).toEqual([])
  })

  it('puts the name in and keeps what follows', () => {
    expect(complete('hm @lo, look', 6, 'Ada Lovelace')).toEqual({
      body: 'hm @Ada Lovelace , look',
      caret: 17,
    })
    expect(complete('hm', 2, 'x')).toEqual({ body: 'hm', caret: 2 })
  })

  it('marks the named in what was said and loses no letter', () => {
    const body = 'a@b @ada lovelace and @nobody @'
    const found = pieces(body, people)
    expect(found.map((item) => item.text).join('')).toBe(body)
    expect(found.filter((item) => item.named).map((item) => item.text)).toEqual(['@ada lovelace'])
  })
})
