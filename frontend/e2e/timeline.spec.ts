/** The timeline under a person's hands: brush, keys, a note, a handle, what moved, export. */
import { readFileSync } from 'node:fs'
import { expect, type Page } from '@playwright/test'
import { loadSample } from './sample'
import { test } from './test'

test.describe.configure({ mode: 'serial' })

let incident = ''
const shown = (page: Page) => page.getByTestId('timeline-range').textContent()
const plot = async (page: Page) => {
  const box = await page.getByTestId('timeline-plot').boundingBox()
  if (!box) throw new Error('there is no plot')
  return box
}

test.beforeAll(async ({ browser }) => {
  const context = await browser.newContext()
  incident = await loadSample(context, 'hot-row')
  await context.close()
})

test.beforeEach(async ({ page }) => {
  await page.goto(`/incidents/${incident}/timeline`)
  await expect(page.getByTestId('stall-band').first()).toBeVisible()
})

/** Makes a lane the one whose marks the keys walk. */
const choose = async (page: Page, lane: string) => {
  const head = page.getByTestId(`lane-${lane}`).getByRole('button').first()
  await head.click()
  await expect(head).toHaveAttribute('aria-pressed', 'true')
}

test('a drag brushes the range, it stands in the address, and back undoes it', async ({ page }) => {
  const before = await shown(page)
  const box = await plot(page)
  await page.mouse.move(box.x + 300, box.y + 200)
  await page.mouse.down()
  await page.mouse.move(box.x + 600, box.y + 210, { steps: 5 })
  await page.mouse.up()
  await expect.poll(() => shown(page)).not.toBe(before)
  await expect(page).toHaveURL(/start=2026-11-20T22/)
  await page.goBack()
  await expect.poll(() => shown(page)).toBe(before)
})

test('keys zoom, pan, show everything and fit; marks are reached without a mouse', async ({
  page,
}) => {
  const before = await shown(page)
  await page.keyboard.press('w')
  await expect.poll(() => shown(page)).not.toBe(before)
  const zoomed = await shown(page)
  await page.keyboard.press('d')
  await expect.poll(() => shown(page)).not.toBe(zoomed)
  await page.keyboard.press('0')
  await expect.poll(() => shown(page)).toContain('22:1')
  await page.keyboard.press('f')
  await expect.poll(() => shown(page)).toBe(before)
  await choose(page, 'InnoDB status dumps')
  await page.keyboard.press('.')
  await expect(page.getByTestId('timeline-chosen')).toContainText('wait')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/waits\?.*at=2026/)
})

test('a note is written, changed and deleted', async ({ page }) => {
  await page.keyboard.press('Shift+N')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('What happened').fill('the pager rang')
  await dialog.getByRole('button', { name: 'Save the note' }).click()
  await expect(dialog).toBeHidden()
  await choose(page, 'Notes')
  await page.keyboard.press('.')
  await expect(page.getByTestId('timeline-chosen')).toContainText('the pager rang (Ada Example)')
  await page.getByRole('button', { name: 'Open the note' }).click()
  await dialog.getByLabel('What happened').fill('the pager rang twice')
  await dialog.getByRole('button', { name: 'Save the note' }).click()
  await expect(dialog).toBeHidden()
  await page.getByRole('button', { name: 'Table', exact: true }).click()
  await expect(
    page.getByRole('gridcell', { name: 'the pager rang twice (Ada Example)' }),
  ).toBeVisible()
})

test('the onset is corrected by its handle, said so, and reset', async ({ page }) => {
  const handle = page.getByTestId('handle-onset')
  const computed = await handle.getAttribute('aria-valuenow')
  const box = await handle.boundingBox()
  if (!box) throw new Error('there is no handle')
  await page.mouse.move(box.x + 5, box.y + 300)
  await page.mouse.down()
  await page.mouse.move(box.x - 60, box.y + 300, { steps: 4 })
  await page.mouse.up()
  await expect(page.getByText('Corrected by Ada Example').first()).toBeVisible()
  expect(Number(await handle.getAttribute('aria-valuenow'))).toBeLessThan(Number(computed))
  // the analysis runs again with it: the stall itself bears the person's name
  await expect
    .poll(
      async () => {
        const answer = await page.request.get(`/api/v1/incidents/${incident}/marks`)
        const marks = (await answer.json()) as { stalls: { corrected_by: string | null }[] }
        return marks.stalls.map((stall) => stall.corrected_by)
      },
      { timeout: 40_000 },
    )
    .toContain('Ada Example')
  await page.getByRole('button', { name: 'Reset to computed' }).click()
  await expect(page.getByText('Corrected by Ada Example')).toHaveCount(0, { timeout: 40_000 })
  await expect(handle).toHaveAttribute('aria-valuenow', computed ?? '')
})

test('what moved is ranked, lanes are searched, the view is exported', async ({ page }) => {
  await page.getByRole('button', { name: 'Show what moved' }).click()
  await expect(page).toHaveURL(/series=/)
  await page.getByLabel('Search the lanes').fill('threads_running')
  await expect(page.getByTestId('lane-metric.qps')).toHaveCount(0)
  await page.getByLabel('Search the lanes').fill('')
  const saved = async (kind: string) => {
    await page.getByRole('button', { name: 'Export' }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: kind }).click()
    return readFileSync(await (await download).path())
  }
  const svg = (await saved('SVG')).toString()
  expect(svg).toContain('<title>')
  expect(svg).toContain('Stall on db-ads-02')
  expect(svg).not.toContain('var(--')
  expect((await saved('CSV')).toString()).toContain('lane,host,unit,time,until,min,mean,max,text')
  expect((await saved('PNG')).subarray(1, 4).toString()).toBe('PNG')
})
