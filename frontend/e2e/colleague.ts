/** A second person for a browser test. */
import { type Browser, type BrowserContext, expect } from '@playwright/test'
import { csrf } from './sample'

const PASSWORD = 'correct horse battery'

/** A second person, in a browser of their own. */
export async function colleague(admin: BrowserContext, browser: Browser, name: string) {
  const email = `${name.toLowerCase().replace(' ', '.')}-${Date.now()}@example.org`
  const made = await admin.request.post('/api/v1/users', {
    headers: await csrf(admin),
    data: { name, email, role: 'contributor', password: PASSWORD },
  })
  expect(made.ok(), await made.text()).toBe(true)
  const context = await browser.newContext({ storageState: { cookies: [], origins: [] } })
  const session = await context.request.post('/api/v1/session', {
    data: { email, password: PASSWORD },
  })
  expect(session.ok(), await session.text()).toBe(true)
  return context
}
