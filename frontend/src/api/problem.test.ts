import { describe, expect, it } from 'vitest'
import { ApiProblem, asProblem, isMissingPart } from './problem'

describe('asProblem', () => {
  it.each([
    'Failed to fetch',
    'NetworkError when attempting to fetch resource.',
    'Load failed',
    'Failed to fetch dynamically imported module: /assets/TimelineScreen.js',
  ])('takes "%s" for a server that does not answer', (name) => {
    expect(asProblem(new TypeError(name)).isUnreached).toBe(true)
  })

  it('does not call a defect of the page a silent server', () => {
    const defect = asProblem(new TypeError("Cannot read properties of undefined (reading 'x')"))
    expect(defect.isUnreached).toBe(false)
    expect(defect.title).toBe('A defect in the page')
  })

  it.each([
    [502, true],
    [503, true],
    [500, false],
    [409, false],
  ])('HTTP %d says that the server is away: %s', (status, away) => {
    expect(new ApiProblem(status, 'x', '').isUnreached).toBe(away)
  })
})

it('knows a part of the app that did not come, code or styles', () => {
  expect(isMissingPart(new Error('Unable to preload CSS for /assets/TablesScreen.css'))).toBe(true)
  expect(isMissingPart(new Error('something else'))).toBe(false)
})
