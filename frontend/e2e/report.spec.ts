/**
 * The report: a section is written with a block from `/`, an action completes the checks, a release is
 * approved, and the HTML file opens from disk with no network and stays interactive.
 */
import { writeFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { expect, type Locator } from '@playwright/test'
import { colleague } from './colleague'
import { loadSample } from './sample'
import { test } from './test'

test.describe.configure({ mode: 'serial' })
test.setTimeout(240_000)

let incident = ''

/** Whether the element begins above the other on the page. */
async function isAbove(element: Locator, other: Locator): Promise<boolean> {
  const [first, second] = [await element.boundingBox(), await other.boundingBox()]
  return first !== null && second !== null && first.y < second.y
}

test('a section is written, checked, and released', async ({ page, context, browser }) => {
  incident = await loadSample(context, 'hot-row')
  await page.goto(`/incidents/${incident}/report?section=summary`)
  const editor = page.getByRole('textbox', { name: 'Summary, Markdown' })
  const summary = page.getByRole('region', { name: 'Summary' })
  const impact = page.getByRole('region', { name: 'Impact' })
  const side = page.getByRole('complementary', { name: 'About the report' })

  await test.step('the whole document is on one page', async () => {
    await expect(impact).toContainText('Duration')
    await expect(page.getByRole('region', { name: 'What happened' })).toContainText(
      'Where the time went',
    )
  })

  await test.step('`/` inserts a live block, drawn in place', async () => {
    await editor.click()
    // Against one installation, the journey by keyboard wrote into the same section before.
    await page.keyboard.press('Control+A')
    await page.keyboard.type('301 waiters because of human error.\n\n/waits')
    await page.getByRole('option', { name: /wait graph/i }).click()
    await expect(summary.locator('[data-node]').first()).toBeVisible()
  })

  await test.step('keys move a block within its section and into the next', async () => {
    const claim = summary.getByText('301 waiters because of human error.')
    await page.keyboard.press('Alt+ArrowUp')
    await expect.poll(() => isAbove(summary.locator('[data-node]').first(), claim)).toBe(true)
    await page.keyboard.press('Alt+ArrowDown')
    await page.keyboard.press('Alt+ArrowDown')
    await expect(impact.locator('[data-node]').first()).toBeVisible()
    await expect(summary.locator('[data-node]')).toHaveCount(0)
  })

  await test.step('a block is dragged by its handle, also to another section', async () => {
    await impact.hover()
    const end = summary.getByText('301 waiters because of human error.')
    await impact.locator('.doc-handle').first().dragTo(end)
    await expect(summary.locator('[data-node]').first()).toBeVisible()
    await expect(impact.locator('[data-node]')).toHaveCount(0)
  })

  await test.step('checks name the line, and lead to it', async () => {
    const blame = side.locator('[data-rule=blame]')
    await expect(blame).toBeVisible()
    await expect(side.locator('[data-rule=claim_without_pin]').first()).toBeVisible()
    await blame.getByRole('button').click()
    await expect
      .poll(() => page.evaluate(() => window.getSelection()?.toString() ?? ''))
      .toContain('human error')
  })

  await test.step('an action with owner and date satisfies the checks', async () => {
    await side.getByRole('tab', { name: 'Actions' }).click()
    await side.getByLabel('New action').fill('Alert on idle transactions')
    await side.getByRole('button', { name: 'Add action' }).click()
    const action = side.getByTestId('report-action')
    await action.getByLabel('Owner').fill('Ann')
    // The second edit leaves before the list brings the revision that the first one made.
    await action.getByLabel('Due', { exact: true }).fill('2026-12-24')
    await expect
      .poll(async () => {
        const answer = await context.request.get(`/api/v1/incidents/${incident}/actions`)
        return ((await answer.json()) as { owner: string; due: string }[])[0]
      })
      .toMatchObject({ owner: 'Ann', due: '2026-12-24' })
    await side.getByRole('tab', { name: /Checks/ }).click()
    await expect(side.locator('[data-rule=blame]')).toBeVisible()
    await expect(side.locator('[data-rule=action_incomplete]')).toHaveCount(0)
  })

  await test.step('another template keeps the text', async () => {
    await page.getByLabel('Template').selectOption('executive')
    await expect(page.getByText('Not in this template')).toBeVisible()
    await page.getByLabel('Template').selectOption('database-pileup')
    await expect(page.getByTestId('report-section').filter({ hasText: 'Summary' })).toBeVisible()
  })

  await test.step('review and approval freeze it', async () => {
    await page.getByRole('button', { name: 'Send to review' }).click()
    // Whoever wrote it may not approve it, once there is somebody else.
    const other = await colleague(context, browser, 'Rob Reviewer')
    const theirs = await other.newPage()
    await theirs.goto(page.url())
    await theirs.getByRole('button', { name: 'Approve' }).click()
    await expect(theirs.getByText('by Rob Reviewer')).toBeVisible()
    await other.close()
    await side.getByRole('tab', { name: 'Versions' }).click()
    await expect(side.getByTestId('report-release').first()).toContainText('approved')
  })
})

test('the HTML file opens from disk without a network', async ({ browser, context }, info) => {
  const got = await context.request.get(`/api/v1/incidents/${incident}/report/export?format=html`)
  expect(got.ok(), await got.text()).toBe(true)
  const file = info.outputPath('report.html')
  await writeFile(file, await got.body())
  const alone = await browser.newContext({ offline: true })
  const page = await alone.newPage()
  const asked: string[] = []
  const said: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  page.on('console', (message) => said.push(message.text()))
  page.on('pageerror', (error) => said.push(error.message))
  const address = pathToFileURL(file).href
  await page.goto(address)

  const lanes = page.locator('[data-view=lanes]').first()
  await lanes.locator('svg').scrollIntoViewIfNeeded()
  await lanes.locator('svg').hover({ position: { x: 500, y: 90 } })
  await expect(lanes.locator('output')).toHaveText(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
  await expect(lanes.locator('.pv-cross text').first()).toBeVisible()

  const graph = page.locator('[data-view=graph]').first()
  const root = graph.locator('[data-node]').first()
  await root.click()
  await expect(graph.locator('.pv-inspect h4')).toContainText('session 390')
  await expect(root).toHaveAttribute('aria-pressed', 'true')
  await graph.getByRole('button', { name: /as a tree/i }).click()
  await expect(graph.getByRole('listitem').first()).toContainText('session 390')

  expect(asked).toEqual([address])
  expect(said).toEqual([])
  await alone.close()

  const plain = await browser.newContext({ offline: true, javaScriptEnabled: false })
  const still = await plain.newPage()
  await still.goto(address)
  await expect(still.locator('figure svg').first()).toBeVisible()
  await plain.close()
})
