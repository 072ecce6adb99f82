/**
 * The main job, end to end: upload a real incident, watch it being read, see the stall, open the wait
 * graph at its worst, pin it to a hypothesis, log an experiment, export the report. What each screen
 * shows is held against the ground truth of the capture.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from '@playwright/test'
import { test } from './test'

const FOLDER = fileURLToPath(new URL('../../samples/hot-row', import.meta.url))
const TRUTH = JSON.parse(readFileSync(`${FOLDER}/ground-truth.json`, 'utf8')) as {
  onset: string
  recovery: string
  max_lock_wait_trx: number
}
/** They counted every "LOCK WAIT", also the one inside LATEST DETECTED DEADLOCK. */
const WAITERS = TRUTH.max_lock_wait_trx - 1
const HOLDER = 'session 390'
const FILES = [
  'pt-stalk-db-ads-02-2026_11_20_22_19_52.tar.gz',
  'gdb/2026_11_20_22_20_11-incident1-gdb.txt',
  'gdb/2026_11_20_22_20_11-incident1-pt-pmp.txt',
  'metrics-wide.csv',
  'innodb-status.tar.gz',
  'my.cnf',
  'variables.txt',
]

test.describe.configure({ mode: 'serial' })
test.setTimeout(240_000)

test('from the upload to the postmortem', async ({ page }) => {
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))

  await test.step('a new incident', async () => {
    await page.goto('/')
    await page
      .getByRole('button', { name: /new incident/i })
      .first()
      .click()
    await page.getByRole('dialog').getByLabel('Title').fill('Ad clicks stall')
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /create/i })
      .click()
    await page.waitForURL(/\/incidents\/[0-9a-f-]+/)
  })
  const incident = /\/incidents\/([0-9a-f-]+)/.exec(page.url())?.[1] ?? ''
  const at = (screen: string) => `/incidents/${incident}/${screen}`

  await test.step('upload a bundle, stacks and metrics; the worker reads them', async () => {
    await page.goto(at('artifacts'))
    await page
      .locator('input[type=file]:not([webkitdirectory])')
      .first()
      .setInputFiles(FILES.map((file) => `${FOLDER}/artifacts/${file}`))
    await expect
      .poll(
        async () => {
          const answer = await page.request.get(`/api/v1/incidents/${incident}/overview`)
          const overview = (await answer.json()) as {
            analysis: { state: string }
            artifacts: { parsing: number; total: number; failed: number }
          }
          const { parsing, total, failed } = overview.artifacts
          return { read: total > 30 && parsing === 0, failed, analysis: overview.analysis.state }
        },
        { timeout: 150_000, intervals: [1000] },
      )
      .toEqual({ read: true, failed: 0, analysis: 'done' })
    await expect(page.getByText('metrics-wide.csv').first()).toBeVisible()
  })

  await test.step('the overview says when, how many, and who', async () => {
    await page.goto(at('overview'))
    const main = page.getByRole('main')
    await expect(main.getByText(HOLDER).first()).toBeVisible()
    await expect(main.getByText('Long row-lock waits behind one transaction').first()).toBeVisible()
    const answer = await page.request.get(`/api/v1/incidents/${incident}/overview`)
    const { numbers } = (await answer.json()) as { numbers: { onset: string; duration_s: number } }
    expect(Math.abs(Date.parse(numbers.onset) - Date.parse(TRUTH.onset))).toBeLessThanOrEqual(3000)
    const lasted = (Date.parse(TRUTH.recovery) - Date.parse(TRUTH.onset)) / 1000
    expect(Math.abs(numbers.duration_s - lasted)).toBeLessThanOrEqual(6)
  })

  await test.step('the timeline shows the stall on the lanes', async () => {
    await page.goto(at('timeline'))
    await expect(page.getByTestId('stall-band').first()).toBeVisible()
    const lane = page.getByTestId('lane-metric.threads_running')
    await expect(lane).toContainText('319')
    const range = await page.getByTestId('timeline-range').textContent()
    expect(range).toContain('2026-11-20 22:19')
  })

  await test.step('the wait graph at the worst moment names the holder', async () => {
    await page.goto(at('waits'))
    await expect(page.getByTestId('wait-headline')).toContainText(HOLDER)
    await expect(page.getByTestId('wait-headline')).toContainText(`${WAITERS} threads`)
    const root = page.getByTestId('wait-root').first()
    await expect(root).toContainText(HOLDER)
    await expect(root).toContainText(String(WAITERS))
    await root.click()
    const inspector = page.getByRole('complementary', { name: 'Inspector' })
    await expect(inspector).toContainText('26478')
    await expect(inspector.locator('a', { hasText: 'innodb-status.txt' }).first()).toBeVisible()
  })

  await test.step('pin it to a hypothesis', async () => {
    await page
      .getByRole('complementary', { name: 'Inspector' })
      .getByRole('button', { name: /pin as evidence/i })
      .click()
    const dialog = page.getByRole('dialog')
    await dialog
      .getByLabel('Statement of the new hypothesis')
      .fill('An idle transaction holds the row')
    await dialog.getByRole('button', { name: 'Pin', exact: true }).click()
    await expect(dialog).toBeHidden()
    await page.goto(at('hypotheses'))
    await page
      .getByTestId('hypothesis-card')
      .filter({ hasText: 'An idle transaction holds the row' })
      .click()
    const inspector = page.getByRole('complementary', { name: 'Inspector' })
    await expect(inspector.getByTestId('evidence-item')).toContainText(`blocks ${WAITERS} threads`)
    await inspector
      .getByLabel('Reason')
      .fill('one transaction with undo, idle, three hundred behind it')
    await inspector.getByRole('slider').fill('80')
    await inspector.getByRole('button', { name: 'Set confidence' }).click()
    await expect(inspector.getByTestId('ledger-step').first()).toContainText('80%')
    await expect(page.getByTestId('confidence-value').first()).toHaveText('80%')
  })

  await test.step('log an experiment with a locked prediction', async () => {
    await page.goto(at('experiments'))
    await page.getByRole('button', { name: 'Plan an experiment' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Title').fill('End the idle transaction')
    await dialog.getByText(/^More:/).click()
    await dialog
      .getByLabel('Hypothesis')
      .selectOption({ label: 'An idle transaction holds the row' })
    await dialog.getByLabel('Change').fill('KILL 390')
    await dialog.getByLabel('Prediction').fill('lock waits fall below 20 within 15 s')
    await dialog.getByRole('button', { name: 'Plan it' }).click()
    const inspector = page.getByRole('complementary', { name: 'Inspector' })
    await inspector.getByRole('button', { name: /start and lock/i }).click()
    await expect(inspector.getByTestId('prediction-lock')).toBeVisible()
    await inspector
      .getByRole('textbox', { name: 'Observation' })
      .fill('0 lock waits 13 s after the commit')
    await inspector.getByLabel('Value you read').fill('0')
    await inspector.getByLabel('Verdict').selectOption('match')
    await inspector
      .getByRole('textbox', { name: 'Conclusion' })
      .fill('The idle transaction was the blocker.')
    await inspector.getByRole('button', { name: 'Finish' }).click()
    await expect(page.getByTestId('experiment-row')).toContainText('match')
  })

  await test.step('export the report, every claim with its raw lines', async () => {
    await page.goto(at('report'))
    await expect(page.getByTestId('report-document')).toContainText(HOLDER)
    await page.getByRole('button', { name: 'Export', exact: true }).click()
    await page.getByRole('radio', { name: /^HTML/ }).check()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export HTML' }).click()
    const path = await (await download).path()
    const html = readFileSync(path, 'utf8')
    expect(html).toContain('Ad clicks stall')
    expect(html).toContain('TRANSACTION 26478, ACTIVE')
    expect(html).toContain('An idle transaction holds the row')
    expect(html).toContain('matched the prediction')
    expect(html).toContain(`blocks ${WAITERS} threads`)
    expect(html.match(/<svg/g)?.length ?? 0).toBeGreaterThanOrEqual(3)
    expect(html).toMatch(/script-src 'sha256-[^']+';/)
  })
  expect(errors).toEqual([])
})

test('a finished case loads with one click', async ({ page }) => {
  await page.goto('/')
  await page.getByRole('button', { name: 'Load a sample' }).click()
  await page.getByRole('menuitem', { name: /One load machine more/ }).click()
  const conclusion = page.getByRole('list', { name: 'Conclusion of the team' })
  await expect(conclusion).toContainText('Too many threads contend', { timeout: 60_000 })
  await conclusion.getByRole('link', { name: 'H2' }).click()
  await expect(page.getByTestId('ledger-step')).toHaveCount(5)
  await expect(page.getByTestId('ledger-step').first()).toContainText('2012-10-25')
  await page.goto(page.url().replace(/hypotheses.*/, 'report'))
  await expect(page.getByText('Conclusion of the team (95%):').last()).toBeVisible()
  await expect(page.getByText('H1 The machine is too small').last()).toBeVisible()
})
