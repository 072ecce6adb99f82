/** What holds on every screen: room at 200 % zoom, the palette, links. */
import { expect, type Page } from '@playwright/test'
import { csrf, loadSample } from './sample'
import { SCREENS } from './screens'
import { test } from './test'

test.setTimeout(240_000)

let incident = ''
test.beforeAll(async ({ browser }) => {
  const context = await browser.newContext()
  incident = await loadSample(context, 'hot-row')
  await context.close()
})

async function open(page: Page, path: string) {
  await page.goto(path)
  await expect(page.getByRole('main').getByRole('heading', { level: 1 }).first()).toBeVisible()
  await expect(page.locator('.skeleton-rows')).toHaveCount(0)
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
}

test('a cold overview weighs less than 500 kB', async ({ page, context }) => {
  const network = await context.newCDPSession(page)
  await network.send('Network.enable')
  let bytes = 0
  network.on('Network.dataReceived', (part) => {
    bytes += part.encodedDataLength
  })
  const summary = page.waitForResponse(/\/texts\/summary/)
  await open(page, `/incidents/${incident}/overview`)
  await expect(page.locator('.overview svg').first()).toBeVisible()
  await (await summary).finished()
  await page.evaluate(() => document.fonts.ready)
  expect(bytes).toBeGreaterThan(100_000)
  expect(bytes).toBeLessThan(500_000)
})

/** Collect the requests of a page that the server refuses. */
function refusals(page: Page): string[] {
  const refused: string[] = []
  page.on('response', (response) => {
    if (response.status() >= 400)
      refused.push(`${String(response.status())} ${new URL(response.url()).pathname}`)
  })
  return refused
}

test('no screen requests what an incident without files does not have', async ({ page }) => {
  const made = await page.request.post('/api/v1/incidents', {
    headers: await csrf(page.context()),
    data: { title: 'Without files' },
  })
  const { id } = (await made.json()) as { id: string }
  const refused = refusals(page)
  for (const screen of SCREENS) await open(page, `/incidents/${id}/${screen}`)
  expect(refused).toEqual([])
})

test('a visitor without a session is led to the sign-in, and nothing is refused', async ({
  browser,
}) => {
  const context = await browser.newContext({ storageState: { cookies: [], origins: [] } })
  const page = await context.newPage()
  const refused = refusals(page)
  await page.goto(`/incidents/${incident}/waits`)
  await page.waitForURL(/\/sign-in\?next=/)
  await expect(page.getByLabel('Password')).toBeVisible()
  expect(refused).toEqual([])
  await context.close()
})

test('nothing is lost at 200 % zoom', async ({ page }) => {
  // 1440 x 900 at 200 % is a page of 720 x 450.
  await page.setViewportSize({ width: 720, height: 450 })
  for (const screen of SCREENS) {
    await test.step(screen, async () => {
      await open(page, `/incidents/${incident}/${screen}`)
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect.soft(wide, 'the page scrolls sideways').toBeLessThanOrEqual(0)
      const cut = await page.evaluate(() =>
        [...document.querySelectorAll('.topbar button, .topbar a, .rail a')]
          .filter((control) => {
            const box = control.getBoundingClientRect()
            return box.width > 0 && (box.right > innerWidth + 1 || box.left < -1)
          })
          .map((control) => control.textContent || control.getAttribute('aria-label')),
      )
      expect.soft(cut, 'controls beyond the edge').toEqual([])
    })
  }
})

test('the palette finds and goes, by the keyboard alone', async ({ page }) => {
  await page.request.post(`/api/v1/incidents/${incident}/hypotheses`, {
    headers: await csrf(page.context()),
    data: { statement: 'Something held the row for a palette test', falsifier: 'nothing did' },
  })
  await open(page, `/incidents/${incident}/overview`)
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.keyboard.type('held the row')
  await expect(page.getByRole('option', { name: /Something held the row/ }).first()).toBeVisible()
  await page
    .getByRole('option', { name: /Something held the row/ })
    .first()
    .click()
  await page.waitForURL(/hypotheses\?.*hypothesis=/)
  await page.keyboard.press('/')
  await page.keyboard.type('wait graph')
  // the command leads over what the search finds, also when that arrives later
  await expect(page.getByRole('option', { name: /^Wait graph/, selected: true })).toBeVisible()
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/waits/)
  await page.goBack()
  await page.waitForURL(/\/hypotheses/)
})

test('a link to a view opens that view, however long its address is', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const series = Array.from({ length: 60 }, (_, i) => `series=metric.something_long_${i}`)
  const path = `/incidents/${incident}/timeline?${series.join('&')}`
  await open(page, path)
  await page.getByRole('main').click({ position: { x: 5, y: 5 } })
  await page.keyboard.press('l')
  await expect(page.getByText('Link copied')).toBeVisible()
  const link = await page.evaluate(() => navigator.clipboard.readText())
  expect(link).toMatch(/\/v\/[0-9a-f-]{36}$/)
  await page.goto(link)
  await page.waitForURL(/timeline\?.*something_long_59/)
})

test('a bundle goes out and comes in as an incident of its own', async ({ page }) => {
  const bundle = await page.request.get(`/api/v1/incidents/${incident}/bundle`, {
    timeout: 60_000, // a busy machine packs it for long
  })
  expect(bundle.ok()).toBe(true)
  await open(page, '/')
  await page.getByLabel('Bundle to import').setInputFiles({
    name: 'a.pileup.zip',
    mimeType: 'application/zip',
    buffer: await bundle.body(),
  })
  await page.waitForURL((url) => /\/incidents\/.+\/overview/.test(url.pathname))
  expect(page.url()).not.toContain(incident)
})
