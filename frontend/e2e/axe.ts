/** Runs axe on a page and returns what it finds. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, type Page } from '@playwright/test'
import type axe from 'axe-core'

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The parts of the page to look at, and the rules to apply: everything without them. */
export interface Scope {
  readonly include?: string[]
  readonly exclude?: string[]
  readonly rules?: string[]
}

/** Returns a line for each rule that the page breaks, with the first places. */
export async function violations(page: Page, scope: Scope = {}): Promise<string[]> {
  expect(page.frames(), 'axe looks at one frame only').toHaveLength(1)
  // Half a megabyte, so a document gets it once; and only violations name their elements,
  // because to find a selector for each element that passes takes most of the time.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(SOURCE)
  const found = await page.evaluate(async ({ include, exclude, rules }) => {
    const { axe: engine } = window as unknown as { axe: typeof axe }
    const result = await engine.run(
      { include: include ?? ['html'], exclude: exclude ?? [] },
      { resultTypes: ['violations'], ...(rules && { runOnly: rules }) },
    )
    return result.violations.map(({ id, help, nodes }) => ({
      id,
      help,
      places: nodes.slice(0, 5).map(({ target }) => target.join(' ')),
    }))
  }, scope)
  return found.map(({ id, help, places }) => `${id}: ${help}: ${places.join(' | ')}`)
}
