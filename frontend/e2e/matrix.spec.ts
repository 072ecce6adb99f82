/** From a line of a file to who leads: pin, two hypotheses, rating by keys. Blind: together.spec.ts. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from '@playwright/test'
import { violations } from './axe'
import { csrf } from './sample'
import { test } from './test'

const FILE = fileURLToPath(new URL('../../samples/hot-row/artifacts/my.cnf', import.meta.url))

test('evidence against hypotheses, by keyboard', async ({ page, context }) => {
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  const headers = await csrf(context)
  const made = await context.request.post('/api/v1/incidents', {
    headers,
    data: { title: 'Matrix' },
  })
  const { id } = (await made.json()) as { id: string }
  const sent = await context.request.post(`/api/v1/incidents/${id}/artifacts`, {
    headers,
    multipart: { file: { name: 'my.cnf', mimeType: 'text/plain', buffer: readFileSync(FILE) } },
  })
  const artifact = ((await sent.json()) as { items: { id: string }[] }).items[0]?.id ?? ''

  await test.step('pin a line to a first hypothesis', async () => {
    await expect
      .poll(
        async () => {
          const answer = await context.request.get(`/api/v1/artifacts/${artifact}`)
          return ((await answer.json()) as { state?: string }).state ?? 'unknown'
        },
        { timeout: 60_000 }, // the worker may still read what another spec imported
      )
      .toMatch(/^done/)
    await page.goto(`/incidents/${id}/artifacts?artifact=${artifact}&line=2`)
    await page.getByRole('button', { name: 'Pin as evidence' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Statement of the new hypothesis').fill('The log is too small')
    await dialog.getByRole('button', { name: 'Pin', exact: true }).click()
    await expect(dialog).toBeHidden()
  })

  await test.step('a second hypothesis', async () => {
    await page.goto(`/incidents/${id}/hypotheses`)
    await page.getByRole('button', { name: 'New hypothesis' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Statement').fill('The disk is slow')
    await dialog.getByLabel('Disproved if').fill('fsync stays under 5 ms')
    await dialog.getByRole('button', { name: 'Propose' }).click()
    await expect(page.getByTestId('hypothesis-card')).toHaveCount(2)
  })

  const cell = (hypothesis: string) => page.getByTestId(`cell-E1-${hypothesis}`)
  await test.step('rate by keys; the sentence says what the lead hangs on', async () => {
    await page.getByRole('tab', { name: 'Matrix' }).click()
    await cell('H1').click()
    await page.keyboard.press('4')
    await expect(cell('H1')).toHaveAccessibleName(/inconsistent/)
    await page.keyboard.press('ArrowRight')
    await expect(cell('H2')).toBeFocused()
    await page.keyboard.press('2')
    await expect(page.getByTestId('sensitivity')).toHaveText(
      'H2 leads, and no single piece of evidence decides that.',
    )
    await page.keyboard.press('ArrowLeft')
    await expect(cell('H1')).toBeFocused()
    // the panel beside the matrix shows H1 too, and no longer the field of H2
    await expect(page.getByRole('button', { name: /^I inconsistent/, pressed: true })).toBeVisible()
    await page.keyboard.press('c')
    await page.getByLabel('Comment').fill('the log was half empty')
    await page.getByRole('button', { name: 'Comment', exact: true }).click()
    await expect(page.getByTestId('comment')).toContainText('half empty')
  })

  await test.step('a testimony turns the lead on one piece of evidence', async () => {
    await page.getByRole('tab', { name: /Evidence/ }).click()
    await page.getByRole('button', { name: /Record an absence/ }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Testimony' }).click()
    await dialog.getByLabel('Testimony in one line').fill('disks were idle')
    await dialog.getByRole('button', { name: 'Record', exact: true }).click()
    await expect(page.getByTestId('pin')).toHaveCount(2)
    await page.getByRole('tab', { name: 'Matrix' }).click()
    for (const [hypothesis, key] of [
      ['H2', '3'],
      ['H1', '1'],
    ] as const) {
      await page.getByTestId(`cell-E2-${hypothesis}`).click()
      await page.keyboard.press(key)
    }
    await expect(page.getByTestId('sensitivity')).toHaveText('H2 leads; without E1, H1 leads.')
    expect(await violations(page)).toEqual([])
  })
  expect(errors).toEqual([])
})
