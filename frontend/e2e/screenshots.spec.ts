/**
 * Makes the pictures of the README: loads a sample, waits for the worker, photographs each screen.
 * `make screenshots`; the pictures land in docs/screenshots.
 */
import { fileURLToPath } from 'node:url'
import { expect, type Page, test } from '@playwright/test'
import { loadSample } from './sample'
import { tellStory } from './story'

const FOLDER = fileURLToPath(new URL('../../docs/screenshots', import.meta.url))
const SAMPLE = 'ahi-pileup'
const SCREENS = {
  overview: 'overview',
  timeline: 'timeline',
  waits: 'waits',
  stacks: 'stacks',
  flame: 'stacks?show=flame',
  artifacts: 'artifacts',
  tables: 'tables',
  compare: 'compare',
  hypotheses: 'hypotheses',
  matrix: 'hypotheses?tab=matrix',
  experiments: 'experiments',
  report: 'report',
}

let incident = ''

test.beforeAll(async ({ browser }) => {
  const context = await browser.newContext()
  incident = await loadSample(context, SAMPLE)
  await tellStory(context, incident)
  await context.close()
})

async function settle(page: Page) {
  await page.waitForLoadState('load')
  await page.waitForTimeout(400) // a screen that was not loaded yet shows its skeleton first
  await expect(page.locator('.skeleton')).toHaveCount(0, { timeout: 20_000 })
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
  await expect(page.getByRole('alert')).toHaveCount(0)
  await page.evaluate(() => document.fonts.ready)
  await page.waitForTimeout(600) // transitions
}

for (const theme of ['light', 'dark'] as const) {
  for (const [screen, path] of Object.entries(SCREENS)) {
    test(`${screen}, ${theme}`, async ({ page }) => {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
      await page.goto(`/incidents/${incident}/${path}`)
      await settle(page)
      await page.screenshot({ path: `${FOLDER}/${screen}-${theme}.png` })
    })
  }
}
