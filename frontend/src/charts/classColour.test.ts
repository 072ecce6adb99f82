import { expect, it } from 'vitest'
import { CLASSES } from '@/ui/display/glossary'
import { classColour } from './classColour'

it('gives each class of time a colour of its own, whatever else an incident shows', () => {
  const colours = Object.keys(CLASSES).map(classColour)
  expect(new Set(colours).size).toBe(colours.length)
  expect(colours.filter((colour) => colour === 'var(--cat-other)')).toHaveLength(1)
  expect(classColour('a class of a later version')).toBe('var(--cat-other)')
})
