/**
 * Two people, two browsers, one incident: they edit the same note, rate blind and see each other, and no
 * keystroke is lost.
 */
import { type BrowserContext, expect, type Locator, type Page } from '@playwright/test'
import { colleague } from './colleague'
import { csrf } from './sample'
import { test } from './test'

const WORDS = { ada: 'Ada saw the waiters first. ', bob: 'Bob says that the latch was held. ' }

const editor = (page: Page) => page.getByRole('textbox', { name: 'Impact, Markdown' })
const saved = (page: Page) => page.getByRole('region', { name: 'Impact' }).locator('.live-saved')

/** What the text says, without the cursors drawn in it. */
async function said(page: Page): Promise<string> {
  return editor(page).evaluate((content) => {
    const copy = content.cloneNode(true) as HTMLElement
    for (const cursor of copy.querySelectorAll('.cm-ySelectionCaret')) cursor.remove()
    return [...copy.querySelectorAll('.cm-line')]
      .map((line) => line.textContent)
      .join('\n')
      .trimEnd()
  })
}

async function stored(context: BrowserContext, incident: string): Promise<string> {
  const answer = await context.request.get(`/api/v1/incidents/${incident}/texts/report/impact`)
  return ((await answer.json()) as { text: string }).text
}

test('two people work on one incident at once', async ({ page, context, browser }) => {
  const errors: string[] = []
  const made = await context.request.post('/api/v1/incidents', {
    headers: await csrf(context),
    data: { title: 'Together' },
  })
  const { id } = (await made.json()) as { id: string }
  const other = await colleague(context, browser, 'Bob Second')
  const bob = await other.newPage()
  for (const theirs of [page, bob]) {
    theirs.on('pageerror', (error) => errors.push(error.message))
    await theirs.goto(`/incidents/${id}/report?section=impact`)
    await expect(editor(theirs)).toBeVisible()
  }

  await test.step('they see each other', async () => {
    await expect(page.getByTestId('avatar')).toHaveAttribute(
      'aria-label',
      /Bob Second is on Report/,
    )
    await expect(bob.getByTestId('avatar')).toHaveAttribute('aria-label', /is on Report/)
  })

  await test.step('both write in theirs text at once, and no keystroke is lost', async () => {
    await editor(page).click()
    await page.keyboard.press('Control+Home')
    await editor(bob).click()
    await bob.keyboard.press('Control+End')
    await Promise.all([
      page.keyboard.type(WORDS.ada, { delay: 15 }),
      bob.keyboard.type(WORDS.bob, { delay: 15 }),
    ])
    for (const theirs of [page, bob]) {
      await expect.poll(() => said(theirs)).toContain(WORDS.ada.trim())
      await expect.poll(() => said(theirs)).toContain(WORDS.bob.trim())
      await expect(saved(theirs)).toHaveText('saved')
    }
    expect(await said(page)).toBe(await said(bob))
    expect((await stored(context, id)).trimEnd()).toBe(await said(bob))
    await expect(page.locator('.cm-ySelectionInfo')).toHaveText('Bob Second')
  })

  await test.step('one writes without the server, and both have all of it afterwards', async () => {
    await other.setOffline(true)
    await bob.keyboard.type('Written in a tunnel. ')
    await expect(saved(bob)).toContainText('kept in this browser')
    await page.keyboard.type('Meanwhile online. ')
    await expect(saved(page)).toHaveText('saved')
    await other.setOffline(false)
    for (const theirs of [page, bob]) {
      await expect.poll(() => said(theirs)).toContain('Written in a tunnel.')
      await expect.poll(() => said(theirs)).toContain('Meanwhile online.')
    }
    await expect(saved(bob)).toHaveText('saved')
  })

  await test.step('what was typed when the tab died is sent by the next one', async () => {
    await other.setOffline(true)
    await bob.keyboard.type('Last words. ')
    await expect(saved(bob)).toContainText('kept in this browser')
    await bob.close()
    await other.setOffline(false)
    const again = await other.newPage()
    await again.goto(`/incidents/${id}/overview`)
    await expect.poll(() => said(page)).toContain('Last words.')
    await again.close()
  })

  await test.step('both rate one cell blind, and then each sees the other', async () => {
    const rita = await other.newPage()
    rita.on('pageerror', (error) => errors.push(error.message))
    await rita.goto(`/incidents/${id}/hypotheses?tab=matrix`)
    await expect(rita.getByRole('contentinfo')).toContainText('● live')
    // What one does appears at the other by itself.
    const headers = await csrf(context)
    const said = await context.request.post(`/api/v1/incidents/${id}/pins`, {
      headers,
      data: {
        kind: 'statement',
        evidence_kind: 'testimony',
        title: 'The application waited for a payment',
        locator: {},
        view: `/incidents/${id}/overview`,
        excerpt: 'as the developers said',
      },
    })
    expect(said.ok(), await said.text()).toBe(true)
    await context.request.post(`/api/v1/incidents/${id}/hypotheses`, {
      headers,
      data: { statement: 'A long transaction holds the row' },
    })
    const [mine, hers] = [page, rita].map((theirs) => theirs.getByTestId('cell-E1-H1')) as [
      Locator,
      Locator,
    ]
    await expect(hers).toBeVisible()
    await page.goto(`/incidents/${id}/hypotheses?tab=matrix`)
    await mine.click()
    await page.keyboard.press('4')
    await expect(mine).toHaveAccessibleName(/inconsistent/)
    await expect(hers).toHaveAccessibleName(/others rated; hidden until you rate/)
    await hers.click()
    await rita.keyboard.press('1')
    for (const cell of [mine, hers]) await expect(cell).toHaveAccessibleName(/people disagree/)
  })

  await other.close()
  expect(errors).toEqual([])
})
