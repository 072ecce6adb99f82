/**
 * Hostile words in everything that an incident holds: no screen and no export runs them, makes an element of
 * them, or requests anything from elsewhere. Run by `make test-security`.
 */
import { writeFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { type BrowserContext, expect, type Page } from '@playwright/test'
import { csrf } from './sample'
import { SCREENS } from './screens'
import { test } from './test'

const WORD = 'quokkaprobe'
const HOSTILE = `${WORD}"'><img class=planted src=https://evil.example/x onerror=window.planted=1><script>window.planted=1</script>`
const MARKDOWN = `${HOSTILE}\n\n[link](javascript:window.planted=1) <svg class=planted onload=window.planted=1> ![](https://evil.example/y)`
const SETTINGS = [
  'profile',
  'tokens',
  'users',
  'teams',
  'webhooks',
  'redaction',
  'audit',
  'usage',
  'installation',
]

const row = (id: number, user: string, host: string, info: string) =>
  `${id}\t${user}\t${host}\tshop\tQuery\t${id}\tupdating\t${info}`
const FILES: Readonly<Record<string, string>> = {
  [`${HOSTILE.replaceAll('/', '_')}.txt`]: `nothing known ${HOSTILE}\n`,
  'processlist.txt': [
    'Id\tUser\tHost\tdb\tCommand\tTime\tState\tInfo',
    row(
      7,
      '<b class=planted>u</b>',
      '<i class=planted>h</i>:1',
      `UPDATE t SET a='${HOSTILE}' WHERE id=1`,
    ),
    row(8, 'app', 'web-1:2', `UPDATE t SET a='${HOSTILE}' WHERE id=1`),
    '',
  ].join('\n'),
  'slow.log': [
    '# Time: 2026-01-01T00:00:01.000000Z',
    '# User@Host: app[app] @ <u class=planted>web</u> [10.0.0.1]  Id:     7',
    '# Query_time: 12.000000  Lock_time: 11.000000 Rows_sent: 0  Rows_examined: 1',
    'SET timestamp=1767225601;',
    `UPDATE t SET a='${HOSTILE}' WHERE id=1;`,
    '',
  ].join('\n'),
  'error.log': `2026-01-01T00:00:01.000000Z 7 [ERROR] [MY-000001] [InnoDB] ${HOSTILE}\n`,
  'my.cnf': `[mysqld]\nserver_id=1\nreport_host=${HOSTILE}\n`,
  'table.csv': `time,${HOSTILE.replaceAll('"', '')}\n2026-01-01 00:00:01,=cmd|' /C calc'!A0\n2026-01-01 00:00:02,2\n`,
}

test.setTimeout(400_000)

async function hostileIncident(context: BrowserContext): Promise<string> {
  const headers = await csrf(context)
  const post = async (path: string, data: unknown) => {
    const answer = await context.request.post(`/api/v1${path}`, { headers, data })
    expect(answer.ok(), `${path}: ${await answer.text()}`).toBe(true)
    return (await answer.json()) as { id: string }
  }
  const { id } = await post('/incidents', { title: HOSTILE })
  for (const [name, text] of Object.entries(FILES)) {
    const answer = await context.request.post(`/api/v1/incidents/${id}/artifacts`, {
      headers,
      multipart: { file: { name, mimeType: 'text/plain', buffer: Buffer.from(text) } },
    })
    expect(answer.ok(), await answer.text()).toBe(true)
  }
  const { id: hypothesis } = await post(`/incidents/${id}/hypotheses`, {
    statement: HOSTILE,
    falsifier: HOSTILE,
  })
  await post(`/incidents/${id}/comments`, { subject: `hypothesis:${hypothesis}`, body: MARKDOWN })
  await post(`/incidents/${id}/annotations`, { start: '2026-01-01T00:00:01Z', text: HOSTILE })
  await post(`/incidents/${id}/actions`, { text: HOSTILE, owner: HOSTILE })
  await post('/teams', { name: HOSTILE.slice(0, 99) })
  const section = await context.request.put(`/api/v1/incidents/${id}/report/sections/impact`, {
    headers: { ...headers, 'If-Match': '"0"' },
    data: { body_md: MARKDOWN },
  })
  expect(section.status(), await section.text()).toBeLessThan(500)
  await expect
    .poll(
      async () => {
        const answer = await context.request.get(`/api/v1/incidents/${id}/overview`)
        const { analysis, artifacts } = (await answer.json()) as {
          analysis: { state: string }
          artifacts: { parsing: number; total: number }
        }
        return artifacts.parsing === 0 && artifacts.total > 4 ? analysis.state : 'parsing'
      },
      { timeout: 120_000 },
    )
    .toBe('done')
  return id
}

async function expectNothingRan(page: Page, where: string) {
  const found = await page.evaluate(() => ({
    ran: 'planted' in window,
    elements: document.querySelectorAll('.planted, a[href^="javascript:"]').length,
  }))
  expect.soft(found, where).toEqual({ ran: false, elements: 0 })
}

test('hostile words are words on every screen and in every export', async ({
  page,
  context,
  browser,
  baseURL,
}, info) => {
  const id = await hostileIncident(context)
  const elsewhere: string[] = []
  context.on('request', (request) => {
    const { protocol, origin } = new URL(request.url())
    if (protocol.startsWith('http') && origin !== baseURL) elsewhere.push(request.url())
  })
  page.on('dialog', (dialog) => {
    elsewhere.push(dialog.message())
    void dialog.dismiss()
  })
  const places = [
    '/',
    ...SCREENS.map((screen) => `/incidents/${id}/${screen}`),
    ...SETTINGS.map((tab) => `/settings?tab=${tab}`),
  ]
  for (const place of places) {
    await test.step(place, async () => {
      await page.goto(place)
      await expect(page.getByRole('main').getByRole('heading', { level: 1 }).first()).toBeVisible()
      await expect(page.locator('.skeleton-rows')).toHaveCount(0)
      await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
      await expectNothingRan(page, place)
    })
  }
  for (const query of ['', '&redact=sql,users,hosts,addresses']) {
    const got = await context.request.get(
      `/api/v1/incidents/${id}/report/export?format=html${query}`,
    )
    if (!got.ok()) {
      expect(got.status(), await got.text()).toBe(422) // a leak check that names what it found
      continue
    }
    const html = await got.text()
    if (!query) expect(html).toContain(WORD)
    const file = info.outputPath(`report${query.length}.html`)
    await writeFile(file, html)
    const reader = await browser.newContext()
    const page = await reader.newPage()
    reader.on('request', (request) => {
      if (request.url().startsWith('http')) elsewhere.push(request.url())
    })
    await page.goto(pathToFileURL(file).href)
    await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible()
    await expectNothingRan(page, 'the exported page')
    await reader.close()
  }
  expect(elsewhere).toEqual([])
})
