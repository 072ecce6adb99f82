/** Signs in by the one-time link, as the first user does, and keeps the session for the others. */
import { expect, test } from '@playwright/test'

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
  const page = await stranger.newPage()
  await page.goto('/')
  await expect(page.getByLabel('Password', { exact: false }).first()).toBeVisible()
  await stranger.close()
})
