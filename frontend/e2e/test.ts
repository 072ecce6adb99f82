/** Playwright's `test`, which also fails when the content security policy refused something on a page. */
import { test as plain } from '@playwright/test'

export const test = plain.extend<{ policy: undefined }>({
  policy: [
    async ({ context }, use) => {
      const refused: string[] = []
      context.on('console', (message) => {
        const text = message.text()
        if (/Content.Security.Policy/i.test(text)) refused.push(text)
      })
      await use(undefined)
      plain.expect(refused, 'the content security policy refused something').toEqual([])
    },
    { auto: true },
  ],
})

/** The cases of today, where SHARE says which share: `turn/of`, the number of the day over so many days. */
export function dealt<Case>(cases: readonly Case[]): Case[] {
  const [turn = 0, of = 1] = (process.env['SHARE'] ?? '0/1').split('/').map(Number)
  return cases.filter((_, at) => at % of === turn % of)
}
