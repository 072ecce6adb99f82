/**
 * Makes the pictures of the README and the tutorial: loads a sample and photographs its screens.
 * `make screenshots`; the pictures land in docs/screenshots.
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, type Page } from '@playwright/test'
import UPNG from 'upng-js'
import { loadSample } from './sample'
import { tellStory } from './story'
import { test } from './test'

const FOLDER = fileURLToPath(new URL('../../docs/screenshots', import.meta.url))
const SAMPLE = 'ahi-pileup'
/** The pictures that the documents show: the address, and what is there only once all has arrived. */
const SCREENS: Readonly<Record<string, readonly [path: string, proof: string]>> = {
  overview: ['overview', '.active-sessions svg path'],
  timeline: ['timeline', '[data-testid=stall-band]'],
  waits: ['waits', '[data-testid=wait-node]'],
  flame: ['stacks?show=flame', '.flame-legend'],
  matrix: ['hypotheses?tab=matrix', '[data-testid=sensitivity]'],
  experiments: ['experiments', '[data-testid=experiment-row]'],
  report: ['report', '.doc-prose'],
}

let incident = ''

test.beforeAll(async ({ browser }) => {
  const context = await browser.newContext()
  incident = await loadSample(context, SAMPLE)
  await tellStory(context, incident)
  await context.close()
})

/** Wait until the screen has what it shows, with its fonts and no motion: never for a time. */
async function settle(page: Page, proof: string) {
  await expect(page.locator(proof).first()).toBeVisible({ timeout: 30_000 })
  await expect(page.locator('.skeleton, .skeleton-rows, [aria-busy="true"]')).toHaveCount(0)
  await expect(page.getByRole('alert')).toHaveCount(0)
  await page.waitForLoadState('networkidle') // the lanes are a canvas: nothing in the page says that they wait
  await page.evaluate(async () => {
    await document.fonts.ready
    // one that is taken away is over, too
    await Promise.allSettled(document.getAnimations().map((animation) => animation.finished))
  })
}

/** Photograph the page until two pictures in a row are the same: what was late has arrived. */
async function stillPicture(page: Page): Promise<Buffer> {
  let picture = await page.screenshot()
  await expect(async () => {
    const next = await page.screenshot()
    const isStill = next.equals(picture)
    picture = next
    expect(isStill).toBe(true)
  }).toPass({ intervals: [250], timeout: 20_000 })
  return picture
}

/** Write a picture with 256 colours: two fifths of the size. */
function writeSmall(picture: Buffer, path: string) {
  const { buffer, byteOffset, byteLength } = picture
  const image = UPNG.decode(buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer)
  writeFileSync(path, Buffer.from(UPNG.encode(UPNG.toRGBA8(image), image.width, image.height, 256)))
}

for (const [screen, [path, proof]] of Object.entries(SCREENS)) {
  test(screen, async ({ page }) => {
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
    await page.goto(`/incidents/${incident}/${path}`)
    await settle(page, proof)
    writeSmall(await stillPicture(page), `${FOLDER}/${screen}-light.png`)
  })
}
