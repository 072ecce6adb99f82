/** Colours of the theme as plain values, which a canvas and an exported drawing need. */
import { plainColour, tokenReader } from './exportSvg'

export type Palette = Readonly<Record<string, string>>
/** The tokens that a drawing uses. */
const TOKENS = [
  'bg', 'chrome', 'line', 'grid', 'axis', 'text', 'text-2', 'text-3', 'accent', 'selected',
  'waiting', 'holding', 'running', 'idle', 'waiting-tint', 'holding-tint', 'running-tint',
  'idle-tint', 'stall-band', 'active', 'border',
  'cat-1', 'cat-2', 'cat-3', 'cat-4', 'cat-5', 'cat-6', 'cat-7',
  'heat-0', 'heat-1', 'heat-2', 'heat-3', 'heat-4', 'heat-5',
] as const // prettier-ignore

/** Read the colours of the theme that is shown now. */
export function readPalette(): Palette {
  const token = tokenReader(document.documentElement)
  return Object.fromEntries(TOKENS.map((name) => [name, plainColour(token(`--${name}`))]))
}
