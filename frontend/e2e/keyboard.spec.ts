/** A new incident by the keyboard alone: create it, bring evidence, think, plan, sign out. */
import { expect, type Page } from '@playwright/test'
import { colleague } from './colleague'
import { reach } from './reach'
import { test } from './test'

const LIST = `*************************** 1. row ***************************
     Id: 390
   User: shop
   Host: app-1:5000
     db: shop
Command: Query
   Time: 41
  State: update
   Info: UPDATE stock SET n = n - 1 WHERE id = 7
`
const VARIABLES = 'Variable_name\tValue\ninnodb_lock_wait_timeout\t50\n'

/** Go to a screen by `g` and its letter. */
async function go(page: Page, letter: string, address: RegExp) {
  await page.keyboard.press('g')
  await page.keyboard.press(letter)
  await page.waitForURL(address)
}

test('a new incident gets evidence, a hypothesis and an experiment without a mouse', async ({
  context,
  browser,
}) => {
  // Who signs out at the end is nobody whom other specs need.
  const theirs = await colleague(context, browser, 'Kim Keys')
  const page = await theirs.newPage()
  const dialog = page.getByRole('dialog')

  await test.step('create it, and go to its overview', async () => {
    await page.goto('/')
    await expect(page.getByRole('heading', { name: 'Incidents' })).toBeVisible()
    await reach(page, /^New incident$/)
    await expect(dialog.getByLabel('Title')).toBeFocused()
    await page.keyboard.type('Stock counter stops')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/incidents\/[^/]+\/artifacts/)
    await expect(page.locator('#canvas')).toBeFocused()
    await go(page, 'o', /\/overview/)
    await go(page, 'a', /\/artifacts/)
  })

  await test.step('paste a processlist', async () => {
    await reach(page, /^Paste text$/)
    await expect(dialog.getByLabel('Text')).toBeFocused()
    await page.keyboard.insertText(LIST)
    await expect(dialog).toContainText('SHOW PROCESSLIST')
    await reach(page, /^Host$/, 'End')
    await page.keyboard.type('db-7')
    await reach(page, /^Store as an artifact$/)
    await expect(dialog).toBeHidden()
    await expect(page.getByRole('row', { name: /SHOW PROCESSLIST/ })).toContainText('db-7')
  })

  await test.step('attach a file', async () => {
    const chooser = page.waitForEvent('filechooser')
    await reach(page, /^Choose files$/)
    await (
      await chooser
    ).setFiles({ name: 'variables.txt', mimeType: 'text/plain', buffer: Buffer.from(VARIABLES) })
    await expect(page.getByRole('row', { name: /variables\.txt/ })).toContainText('done', {
      timeout: 60_000,
    })
  })

  await test.step('write a hypothesis', async () => {
    await go(page, 'h', /\/hypotheses/)
    await reach(page, /^New hypothesis$/)
    await expect(dialog).toBeVisible()
    await page.keyboard.type('One row is updated by everybody')
    await reach(page, /^Propose$/)
    await expect(dialog).toBeHidden()
    await expect(page.getByText('One row is updated by everybody').first()).toBeVisible()
  })

  await test.step('plan an experiment', async () => {
    await go(page, 'e', /\/experiments/)
    await reach(page, /^Plan an experiment$/)
    await expect(dialog.getByLabel('Title')).toBeFocused()
    await page.keyboard.type('Count in ten rows')
    await reach(page, /^Change$/, 'End')
    await page.keyboard.type('ten rows per counter')
    await reach(page, /^Prediction$/, 'End')
    await page.keyboard.type('fewer than 20 sessions wait')
    await reach(page, /^Plan it$/)
    await expect(dialog).toBeHidden()
    await expect(page.getByTestId('experiment-row')).toContainText('Count in ten rows')
  })

  await test.step('sign out', async () => {
    await reach(page, /: account$/)
    await expect(page.getByRole('menuitem').first()).toBeFocused()
    await page.keyboard.press('End')
    await expect(page.getByRole('menuitem', { name: 'Sign out' })).toBeFocused()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/sign-in/)
    await page.goto('/')
    await expect(page.getByLabel('Password')).toBeVisible()
  })
  await theirs.close()
})
