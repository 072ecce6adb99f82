/** A sample incident for a browser test: loaded once, opened again by whoever asks next. */
import { expect, type BrowserContext } from '@playwright/test'

const LIMIT_MS = 150_000

/** Loads `samples/<name>` and waits until it is read and analysed; gives the incident's id. */
export async function loadSample(context: BrowserContext, name: string): Promise<string> {
  const loaded = await context.request.post(`/api/v1/samples/${name}/load`, {
    headers: await csrf(context),
  })
  expect(loaded.ok(), await loaded.text()).toBe(true)
  const { id } = (await loaded.json()) as { id: string }
  await expect
    .poll(
      async () => {
        const answer = await context.request.get(`/api/v1/incidents/${id}/overview`)
        const overview = (await answer.json()) as {
          analysis: { state: string }
          artifacts: { parsing: number; total: number }
        }
        return overview.artifacts.total > 0 && overview.artifacts.parsing === 0
          ? overview.analysis.state
          : 'parsing'
      },
      { timeout: LIMIT_MS, intervals: [500] },
    )
    .toBe('done')
  return id
}

/** The header that a write of this signed-in context must carry. */
export async function csrf(context: BrowserContext): Promise<Record<string, string>> {
  const cookies = await context.cookies()
  const token = cookies.find((cookie) => cookie.name === 'pileup_csrf')?.value ?? ''
  return { 'X-CSRF-Token': decodeURIComponent(token) }
}
