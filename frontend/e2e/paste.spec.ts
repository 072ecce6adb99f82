/** Ctrl+V on an incident: the text is understood, gets a time, becomes an artifact, and is placed. */
import { expect } from '@playwright/test'
import { csrf } from './sample'
import { test } from './test'

const WAIT = `----------
SEMAPHORES
----------
--Thread 140653910869760 has waited at btr0sea.ic line 98 for 12.00 seconds the semaphore:
S-lock on RW-latch at 0x7f5d85d57e58 created in file btr0sea.cc line 238
a writer (thread id 140653910869761) has reserved it in mode  exclusive
number of readers 0, waiters flag 1, lock_word: 0
Last time read locked in file btr0sea.ic line 98
Last time write locked in file btr0sea.cc line 1154
`

test('pasted text becomes a placed artifact', async ({ page }) => {
  const made = await page.request.post('/api/v1/incidents', {
    data: { title: 'pasted from a chat' },
    headers: await csrf(page.context()),
  })
  const { id } = await made.json()
  await page.goto(`/incidents/${id}/overview`)
  await expect(page.getByRole('link', { name: 'Artifacts' })).toBeVisible()
  await page.evaluate((text) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', text)
    document.body.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
    )
  }, WAIT)
  const dialog = page.getByRole('dialog', { name: 'Paste evidence' })
  await expect(dialog).toContainText('1 semaphore wait')
  await dialog.getByLabel('When was this?').fill('2020-11-10T18:42')
  await dialog.getByLabel('Host').fill('db-7')
  await dialog.getByRole('button', { name: 'Store as an artifact' }).click()
  await expect(page).toHaveURL(/\/artifacts/)
  const row = page.getByRole('row', { name: /innodb-status\.txt/ })
  await expect(row).toContainText('db-7')
  await expect(row).toContainText('2020-11-10 18:42:00')
})
