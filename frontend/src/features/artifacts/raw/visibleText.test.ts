import { expect, it } from 'vitest'
import { visibleParts } from './visibleText'

const shown = (line: string) =>
  visibleParts(line)
    .map((part) => (part.control ? `[${part.text}]` : part.text))
    .join('')

it('leaves ordinary lines as they are', () => {
  expect(visibleParts('a <b>&amp;\tc\u00e9')).toEqual([
    { text: 'a <b>&amp;\tc\u00e9', control: false },
  ])
  expect(visibleParts('')).toEqual([])
})

it('shows what would hide: NUL, escapes of a terminal, marks of direction', () => {
  expect(shown('a\u0000\u0000b')).toBe('a[␀␀]b')
  expect(shown('\u001b[31mred\u001b[0m')).toBe('[␛[31m]red[␛[0m]')
  expect(shown('x\u202ey')).toBe('x[<U+202E>]y')
  expect(shown('progress\rdone')).toBe('progress[␍]done')
  expect(shown('\u001b]0;title\u0007')).toBe('[␛]]0;title[␇]')
})
