import { describe, expect, it } from 'vitest'
import { folded, lineDiff } from './lineDiff'

const shown = (before: string, after: string) =>
  lineDiff(before, after).map(({ mark, line }) => mark + line)

describe('lineDiff', () => {
  it('marks what was taken out and put in', () => {
    expect(shown('a\nb\nc', 'a\nx\nc\nd')).toEqual([' a', '-b', '+x', ' c', '+d'])
    expect(shown('', 'a')).toEqual(['+a'])
    expect(shown('a', '')).toEqual(['-a'])
    expect(shown('same\n\nsame', 'same\n\nsame')).toEqual([' same', ' ', ' same'])
  })

  it('shows a moved line once out and once in', () => {
    expect(shown('a\nb\nc', 'b\nc\na')).toEqual(['-a', ' b', ' c', '+a'])
  })

  it('gives both texts back, whatever they are', () => {
    const words = (seed: number) =>
      Array.from({ length: 60 }, (_, at) => String((at * seed + (at >> 2)) % 11)).join('\n')
    for (let seed = 1; seed < 30; seed++) {
      const [a, b] = [words(seed), words(seed * 3 + 1)]
      const lines = lineDiff(a, b)
      const side = (mark: string) =>
        lines
          .filter((line) => line.mark !== mark)
          .map((line) => line.line)
          .join('\n')
      expect(side('+')).toBe(a)
      expect(side('-')).toBe(b)
    }
  })

  it('leaves equal lines far from a change out', () => {
    const many = Array.from({ length: 20 }, (_, at) => `line ${at}`)
    const changed = many.with(10, 'other')
    const lines = folded(lineDiff(many.join('\n'), changed.join('\n')), 2)
    expect(lines[0]).toBeNull()
    expect(lines.at(-1)).toBeNull()
    expect(lines.filter(Boolean)).toHaveLength(6)
  })
})
