/** Playwright's `test`, which also fails when the content security policy refused something on a page. */
import { test as plain } from '@playwright/test'
import { share } from './share'

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

/** The cases of today. */
export function dealt<Case>(cases: readonly Case[]): Case[] {
  const [turn, of] = share()
  return cases.filter((_, at) => at % of === turn % of)
}
