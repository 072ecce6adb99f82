/** Holds the contrast that tokens.css promises, in both themes. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const css = readFileSync('src/ui/styles/tokens.css', 'utf8')
const block = (start: string) => {
  const from = css.indexOf('{', css.indexOf(start))
  const body = css.slice(from + 1, css.indexOf('}', from))
  return Object.fromEntries(
    [...body.matchAll(/--([\w-]+): (#[0-9a-f]{6})/g)].map((m) => [m[1], m[2]]),
  )
}
const light = block(':root {')
const dark = block(":root[data-theme='dark']")
const system = block(":root:not([data-theme='light'])")

const luminance = (hex: string) => {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const c = parseInt(hex.slice(at, at + 2), 16) / 255
    return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
const contrast = (a = '', b = '') => {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y)
  return (high + 0.05) / (low + 0.05)
}

const TEXT = [
  'g12',
  'g10',
  'g9',
  'accent-text',
  'waiting-text',
  'holding-text',
  'running-text',
  'idle-text',
]
const MARKS = [
  'g8',
  'accent',
  'waiting',
  'holding',
  'running',
  'idle',
  'cat-1',
  'cat-2',
  'cat-3',
  'cat-4',
  'cat-5',
  'cat-6',
  'cat-7',
  'cat-8',
  'cat-9',
  'cat-10',
  'cat-11',
  'cat-12',
  'cat-13',
  'cat-14',
  'cat-15',
  'cat-other',
  'diff-less',
  'diff-more',
]

describe.each([
  ['light', light],
  ['dark', dark],
])('%s', (_, theme) => {
  it.each(TEXT)('%s reads on the canvas and on the chrome', (name) => {
    expect(contrast(theme[name], theme['g1'])).toBeGreaterThanOrEqual(4.5)
    expect(contrast(theme[name], theme['g2'])).toBeGreaterThanOrEqual(4.5)
  })
  it.each(MARKS)('%s is seen as a mark', (name) =>
    expect(contrast(theme[name], theme['g1'])).toBeGreaterThanOrEqual(3),
  )
  it('reads on the accent', () =>
    expect(contrast(theme['on-accent'], theme['accent'])).toBeGreaterThanOrEqual(4.5))
  it('has heat that the numbers in it can be read on: ink up to 3, the canvas from 4', () => {
    for (const step of [0, 1, 2, 3, 4, 5]) {
      const ink = theme[step <= 3 ? 'g12' : 'g1']
      expect(contrast(theme[`heat-${step}`], ink)).toBeGreaterThanOrEqual(4.5)
    }
  })
  it('has heat of one hue, ever further from the canvas', () => {
    const steps = [0, 1, 2, 3, 4, 5].map((step) => contrast(theme[`heat-${step}`], theme['g1']))
    expect(steps).toEqual([...steps].sort((a, b) => a - b))
  })
})

it('has one dark theme, chosen or by the system', () => expect(system).toEqual(dark))
