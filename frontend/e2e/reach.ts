/** Moves through a page as somebody without a mouse does. */
import type { Page } from '@playwright/test'

/** Tab until the focus is on a control of this name, and press a key there. */
export async function reach(page: Page, name: RegExp, press = 'Enter', most = 120, by = 'Tab') {
  for (let step = 0; step < most; step += 1) {
    const here = await page.evaluate(() => {
      const element = document.activeElement
      if (!element?.matches('a, button, input, textarea, summary, [contenteditable="true"]'))
        return ''
      const label = (element as HTMLInputElement).labels?.[0]?.textContent
      return element.getAttribute('aria-label') ?? (label || element.textContent || '')
    })
    if (name.test(here.trim())) return page.keyboard.press(press)
    await page.keyboard.press(by)
  }
  throw new Error(`no control ${String(name)} within ${most} tabs`)
}
