/** Signs in by the one-time link, as the first user does, and keeps the session for the others. */
import { expect } from '@playwright/test'
import { test } from './test'

const link = process.env['SIGN_IN_LINK'] ?? ''

test('the one-time link makes the first admin and signs in', async ({ page }) => {
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  await page.goto(link)
  await page.getByLabel('Name', { exact: false }).first().fill('Ada Example')
  await page.getByLabel('Email', { exact: false }).first().fill('ada@example.org')
  await page.getByLabel('Password', { exact: false }).first().fill('a long enough password')
  await page.getByRole('button', { name: /sign in|create|continue|start/i }).click()
  await expect(page.getByRole('heading', { name: 'Incidents' })).toBeVisible()
  await page.context().storageState({ path: process.env['STORAGE_STATE'] ?? '' })
  expect(errors).toEqual([])
})

test('the link works once', async ({ browser }) => {
  const stranger = await browser.newContext()
  const answer = await stranger.request.post('/api/v1/session/link', {
    data: { link: new URL(link).searchParams.get('link') },
  })
  expect(answer.status()).toBe(401)
  await stranger.close()
})

test('a stranger sees the sign-in page and no data', async ({ browser }) => {
  const stranger = await browser.newContext()
  const answer = await stranger.request.get('/api/v1/incidents')
  expect(answer.status()).toBe(401)
  // The preview of a link says what Pileup is, and nothing about the incident.
  const preview = await (await stranger.request.get('/incidents/some-id/overview')).text()
  expect(preview).toMatch(/property="og:title" content="Pileup"/)
  expect(preview).not.toContain('some-id')
  const page = await stranger.newPage()
  await page.goto('/')
  await expect(page.getByLabel('Password', { exact: false }).first()).toBeVisible()
  await stranger.close()
})

test('an invited colleague chooses a password and can change it', async ({ browser }) => {
  const admin = await browser.newContext({ storageState: process.env['STORAGE_STATE'] ?? '' })
  const page = await admin.newPage()
  await page.goto('/settings?tab=users')
  await page.getByRole('button', { name: 'Add a user' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Ines Example')
  await dialog.getByLabel('Email').fill('ines@example.org')
  await dialog.getByRole('button', { name: /create the sign-in link/ }).click()
  const address = await page.locator('.made code').innerText()
  await admin.close()

  const invited = await browser.newContext({ storageState: { cookies: [], origins: [] } })
  const theirs = await invited.newPage()
  await theirs.goto(address)
  await theirs.getByLabel('Password').fill('a password of my own')
  await theirs.getByRole('button', { name: /sign in/ }).click()
  await expect(theirs.getByRole('heading', { name: 'Incidents' })).toBeVisible()
  await theirs.goto('/settings')
  const form = theirs.locator('form', {
    has: theirs.getByRole('button', { name: 'Change the password' }),
  })
  await form.getByLabel('Current password').fill('not the password')
  await form.getByLabel('New password').fill('another long password')
  await theirs.getByRole('button', { name: 'Change the password' }).click()
  await expect(theirs.getByText('this is not your current password').first()).toBeVisible()
  await form.getByLabel('Current password').fill('a password of my own')
  await theirs.getByRole('button', { name: 'Change the password' }).click()
  await expect(theirs.getByText('The password is changed.')).toBeVisible()
  await invited.close()
})
