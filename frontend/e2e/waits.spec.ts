/**
 * The wait graph and the stacks by hand and by keyboard: play, compare, walk, follow a thread to its
 * stack and back, put a stack on a pile, export.
 */
import { readFileSync } from 'node:fs'
import { expect } from '@playwright/test'
import { loadSample } from './sample'
import { test } from './test'

test.describe.configure({ mode: 'serial' })
test.setTimeout(200_000)

let incident = ''
const at = (screen: string) => `/incidents/${incident}/${screen}`

test.beforeAll(async ({ browser }) => {
  const context = await browser.newContext()
  incident = await loadSample(context, 'hot-row')
  await context.close()
})

test('play, step and compare moments', async ({ page }) => {
  await page.goto(at('waits'))
  await expect(page.getByTestId('wait-headline')).toContainText('blocks 300 threads')
  await expect(page.getByTestId('root-stuck').first()).toContainText('of 24 sampled status dumps')
  const time = page.getByTestId('wait-time')
  const worst = await time.textContent()
  await expect(page.getByRole('button', { name: 'Next moment with waiters' })).toBeEnabled()
  await page.keyboard.press(']')
  await expect(time).not.toHaveText(worst ?? '')
  const stepped = await time.textContent()
  await page.getByRole('button', { name: 'Play' }).click()
  await expect(time).not.toHaveText(stepped ?? '')
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.goBack() // playing leaves one step behind, not one per moment
  await expect(time).toHaveText(worst ?? '')

  await page.getByRole('button', { name: 'Diff with…' }).click()
  await page.getByRole('menuitem', { name: /first moment with waiters/ }).click()
  await expect(page.getByTestId('wait-difference')).toContainText('still wait')
  await expect(page).toHaveURL(/vs=/)
  await expect(page.locator('[data-testid=wait-node][data-mark=added]').first()).toBeVisible()
  await page.getByRole('button', { name: 'Table', exact: true }).click()
  await expect(page.getByRole('columnheader', { name: 'Change' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page).not.toHaveURL(/vs=/)
})

test('walk the graph by keyboard, follow a thread to its stack and back', async ({ page }) => {
  await page.goto(at('waits'))
  const root = page.locator('[data-testid=wait-node][data-root]').first()
  await root.focus()
  await page.keyboard.press('ArrowRight')
  await expect(page.locator(':focus')).toHaveAttribute('data-node-id', /^row_lock:/)
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('Enter')
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  await expect(inspector).toContainText('26478')
  await inspector.getByTestId('follow-thread').click()
  await expect(page).toHaveURL(/\/stacks\?/)
  await expect(inspector).toContainText('with this stack')
  await inspector.getByTestId('thread-waits').first().click()
  await expect(page).toHaveURL(/\/waits\?/)
  await expect(inspector).toContainText('26478')
  await page.goBack()
  await expect(page).toHaveURL(/\/stacks\?/)
})

test('find reaches into a folded group', async ({ page }) => {
  await page.goto(at('waits'))
  const group = page.locator('[data-testid=wait-node].is-group').first()
  await group.click()
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  const member = inspector.locator('.waits-members button').first()
  const label = (await member.textContent()) ?? ''
  await member.click()
  await expect(inspector.getByRole('heading', { level: 2 })).toHaveText(label)
  await expect(page.getByTestId('wait-node').filter({ hasText: label })).toBeVisible()
})

test('put a stack on a pile by keyboard; it stays there', async ({ page }) => {
  await page.goto(at('stacks'))
  const row = page.getByRole('row').filter({ hasText: 'lock_wait_suspend_thread' }).first()
  await row.click()
  await expect(row).toHaveAttribute('aria-selected', 'true')
  await row.press('x')
  await expect(row).toContainText('suspicious')
  await page.reload()
  await expect(
    page.getByRole('row').filter({ hasText: 'lock_wait_suspend_thread' }).first(),
  ).toContainText('suspicious')
  await page.getByRole('button', { name: /^Suspicious 1/ }).click()
  await expect(page.getByTestId('stack-group')).toHaveCount(1)
})

test('flame: search, table twin, threads of a frame', async ({ page }) => {
  await page.goto(`${at('stacks')}?show=flame`)
  await page.getByLabel('Search functions').fill('lock_wait')
  await expect(page.getByText(/frames, .* of threads/)).toBeVisible()
  await page.getByRole('button', { name: 'Table', exact: true }).click()
  const functions = page.getByRole('grid', { name: 'Functions by threads' })
  await functions.getByRole('row').filter({ hasText: 'lock_wait_suspend_thread' }).click()
  await page.getByRole('button', { name: 'The threads in it' }).click()
  await expect(page.getByText(/\d+ of \d+ threads/)).toBeVisible()
  await page.goBack()
  await expect(functions).toBeVisible()
})

test('export what is seen', async ({ page }) => {
  await page.goto(at('waits'))
  await expect(page.getByTestId('wait-headline')).toContainText('300 threads')
  const save = async (what: string) => {
    await page.getByRole('button', { name: 'Export' }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: what }).click()
    return readFileSync(await (await download).path())
  }
  const svg = (await save('SVG')).toString('utf8')
  expect(svg).toContain('session 390')
  expect(svg).not.toContain('var(--')
  expect((await save('CSV')).toString('utf8')).toContain('trx 26478')
  expect((await save('PNG')).subarray(1, 4).toString('latin1')).toBe('PNG')
})
