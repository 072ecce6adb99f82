/** The raw viewer and the tables on a sample incident: lines and records, settings, sessions, ... */
import { expect, type Page } from '@playwright/test'
import { loadSample } from './sample'
import { test } from './test'

test.describe.configure({ mode: 'serial' })
test.setTimeout(180_000)

let incident = ''

type Artifact = { id: string; path: string; sha256: string }

test.beforeAll(async ({ browser }) => {
  const context = await browser.newContext()
  incident = await loadSample(context, 'hot-row')
  await context.close()
})

async function artifact(page: Page, end: string): Promise<Artifact> {
  const answer = await page.request.get(`/api/v1/incidents/${incident}/artifacts`)
  const { items } = (await answer.json()) as { items: Artifact[] }
  const found = items.find((item) => item.path.endsWith(end))
  if (!found) throw new Error(`no artifact ${end}`)
  return found
}

test('a link to lines opens them, and lines and records choose each other', async ({ page }) => {
  const cnf = await artifact(page, 'my.cnf')
  await page.goto(`/incidents/${incident}/artifacts?artifact=${cnf.sha256}#L3-L5`)
  await expect(page.getByTestId('raw-where')).toContainText('lines 3–5')
  await expect(page).toHaveURL(/line=3&to=5/)

  // record -> line
  const records = page.getByRole('region', { name: 'Records: setting' })
  const record = records.getByRole('button').filter({ hasText: 'pid_file' })
  await record.click()
  await expect(record).toHaveAttribute('aria-pressed', 'true')
  const raw = page.getByRole('region', { name: 'Raw text of my.cnf' })
  const chosen = raw.locator('.raw-chosen')
  await expect(chosen).toHaveCount(1)
  await expect(chosen).toContainText('pid-file')

  // line -> record, then a range with Shift
  const next = raw.locator('.raw-line').filter({ hasText: 'port=' })
  await next.getByRole('button').click()
  await expect(page.getByRole('region', { name: 'Selected record' })).toContainText('3471')
  await raw.getByRole('button', { name: 'Line 2', exact: true }).click({ modifiers: ['Shift'] })
  const where = page.getByTestId('raw-where')
  await expect(where).toContainText('lines 2–')

  // the range by the keyboard
  const before = (await where.textContent()) ?? ''
  await raw.press('Shift+J')
  await expect(where).not.toHaveText(before)
  await raw.press('Shift+K')
  await expect(where).toHaveText(before)
})

test('a large file is searched and jumped through', async ({ page }) => {
  const status = await artifact(page, 'innodb-status.txt')
  const bytes: number[] = []
  page.on('response', (answer) => {
    if (!answer.url().includes('/raw')) return
    void answer
      .body()
      .then((body) => bytes.push(body.length))
      .catch(() => undefined)
  })
  await page.goto(`/incidents/${incident}/artifacts?artifact=${status.id}`)
  await page.getByLabel('Go to line').fill('300000')
  await page.getByLabel('Go to line').press('Enter')
  await expect(page.getByRole('button', { name: 'Line 300000', exact: true })).toBeVisible()
  await page.getByLabel('Search in the raw text').fill('LATEST DETECTED DEADLOCK')
  await expect(page.locator('.hits')).toContainText('LATEST DETECTED DEADLOCK')
  await page.getByRole('button', { name: /Next hit/ }).click()
  await expect(page.getByTestId('raw-where')).not.toContainText('line 300000 ')
  await expect(page.locator('.raw-chosen')).toContainText('LATEST DETECTED DEADLOCK')
  expect(Math.max(...bytes)).toBeLessThan(2_000_000)
})

test('settings: the file against the server', async ({ page }) => {
  await page.goto(`/incidents/${incident}/tables?tab=settings`)
  const table = page.getByRole('grid', { name: 'Server settings' })
  await expect(page.getByLabel('Left source')).toContainText('my.cnf')
  await page.getByRole('group', { name: 'Rows' }).getByRole('button', { name: /^All/ }).click()
  await page.getByLabel('Filter by name or value').fill('innodb_buffer_pool_size')
  const pool = table.getByRole('row').filter({ hasText: 'innodb_buffer_pool_size' }).first()
  await expect(pool).toContainText('same') // 256M and its bytes
  await page.getByLabel('Right source').selectOption({ index: 0 })
  await expect(pool).not.toContainText('same')
})

test('sessions at the worst moment, by statement and opened', async ({ page }) => {
  await page.goto(`/incidents/${incident}/tables?tab=sessions`)
  await expect(page.getByTestId('processlist-moment')).toContainText('2026-11-20')
  const groups = page.getByRole('grid', { name: 'Groups of sessions' })
  const first = groups.getByRole('row').nth(1)
  await expect(first).toContainText('campaign_counters')
  await first.click()
  await expect(page).toHaveURL(/group=/)
  const row = page.getByRole('grid', { name: 'Sessions', exact: true }).getByRole('row').nth(1)
  await expect(row).toContainText('campaign_counters')
  await row.click()
  await expect(page.getByRole('complementary', { name: 'Inspector' })).toContainText('Raw lines')
  await page
    .getByRole('button', { name: /Next ›|‹ Previous/ })
    .first()
    .click()
  await expect(page).toHaveURL(/at=/)
})

test('a deadlock is drawn once, with its words; the log counts what repeats', async ({ page }) => {
  await page.goto(`/incidents/${incident}/tables?tab=deadlocks`)
  await expect(page.getByTestId('deadlock-words')).toContainText('waits for')
  await expect(page.locator('svg.cycle-picture')).toBeVisible()
  await expect(page.getByText(/Seen in \d+ dumps/)).toBeVisible()
  await page.goto(`/incidents/${incident}/tables?tab=log`)
  await expect(page.getByRole('grid', { name: 'Repeated messages' })).toBeVisible()
  await page.goto(`/incidents/${incident}/tables?tab=queries`)
  await expect(page.getByRole('grid', { name: 'Top queries' })).toContainText('campaign_counters')
})
