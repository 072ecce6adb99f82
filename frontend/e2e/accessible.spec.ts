/**
 * Every screen and every dialog in both themes: axe finds nothing, and every dialog holds the keyboard
 * and gives it back. And the journey from the incident to the export by the keyboard alone.
 */
import { type BrowserContext, expect, type Locator, type Page } from '@playwright/test'
import { violations } from './axe'
import { reach } from './reach'
import { csrf, loadSample } from './sample'
import { dealt, test } from './test'

test.setTimeout(600_000)

let incident = ''
/** An incident of two servers whose files print no time. */
let undated = ''

/** Make what some dialogs are about: undated files, a guest link, a webhook with a delivery. */
async function prepare(context: BrowserContext): Promise<void> {
  const headers = await csrf(context)
  async function post<T>(path: string, body: object): Promise<T> {
    const answer = await context.request.post(`/api/v1${path}`, { headers, ...body })
    expect(answer.ok(), await answer.text()).toBe(true)
    return (await answer.json()) as T
  }
  await post('/webhooks', {
    data: { url: 'https://hooks.example.org/pileup', events: ['incident.status_changed'] },
  })
  await post(`/incidents/${incident}/guest-links`, {
    data: { name: 'Vendor', expires_at: new Date(Date.now() + 86_400_000).toISOString() },
  })
  const made = await post<{ id: string; revision: number }>('/incidents', {
    data: { title: 'Two servers' },
  })
  undated = made.id
  const changed = await context.request.patch(`/api/v1/incidents/${undated}`, {
    headers: { ...headers, 'If-Match': `"${made.revision}"` },
    data: { status: 'analysing' },
  })
  expect(changed.ok(), await changed.text()).toBe(true)
  const sent = await post<{ items: { id: string }[] }>(`/incidents/${undated}/artifacts`, {
    multipart: {
      file: {
        name: 'notes.csv',
        mimeType: 'text/plain',
        buffer: Buffer.from('when;what\nnoon;17\none;18\n'),
      },
    },
  })
  await post(`/incidents/${undated}/artifacts/given`, {
    data: { artifact_ids: sent.items.map(({ id }) => id), host: 'db-b' },
  })
  await expect
    .poll(
      async () => {
        const answer = await context.request.get(`/api/v1/incidents/${undated}/artifacts`)
        const { items } = (await answer.json()) as { items: { state: string }[] }
        return items.map(({ state }) => state)
      },
      { intervals: [300], timeout: 60_000 },
    )
    .toEqual(['done'])
}

test.beforeAll(async ({ browser }) => {
  const context = await browser.newContext()
  incident = await loadSample(context, 'hot-row')
  await prepare(context)
  await context.close()
})

type Open = (page: Page) => Promise<void>

const press =
  (...names: readonly (string | RegExp)[]): Open =>
  async (page) => {
    for (const name of names) {
      const control = page
        .getByRole('button', { name })
        .or(page.getByRole('menuitem', { name }))
        .and(page.locator(':visible'))
      await control.first().click()
    }
  }
/** Open a file next to the list first. */
const opensFile =
  (file: string, ...names: readonly (string | RegExp)[]): Open =>
  async (page) => {
    await page.getByRole('row').filter({ hasText: file }).first().click()
    await press(...names)(page)
  }
/** Select the first line of the raw text first. */
const lineThen =
  (name: string): Open =>
  async (page) => {
    await page.locator('.raw-number').first().click()
    await press(name)(page)
  }
const key =
  (name: string): Open =>
  async (page) => {
    await page.locator('#canvas, main').first().focus()
    await page.keyboard.press(name)
  }

/** Run a command of the palette. */
const command =
  (name: string): Open =>
  async (page) => {
    await key('/')(page)
    await page.keyboard.type(name)
    await page.getByRole('option', { name: new RegExp(name, 'i') }).click()
  }

/** A tab or a view of the screen before: a click is faster than to load the page again. */
type Tab = { readonly tab: string }

/** Each address or tab, and the dialogs that open there. */
const SCREENS: readonly (readonly [
  place: string | Tab,
  dialogs: Readonly<Record<string, Open>>,
])[] = [
  [
    '/',
    {
      new: press('New incident'),
      bin: press('Deleted'),
      delete: press(/^More actions/, /^Delete/),
    },
  ],
  ['/?status=open', { view: press('Views', /^Save this view/) }],
  ['/settings', {}],
  [{ tab: 'Tokens' }, {}],
  [{ tab: 'Teams' }, {}],
  [{ tab: 'Users' }, { add: press('Add a user') }],
  [
    { tab: 'Webhooks' },
    {
      add: press('Add a webhook'),
      delete: press(/^Actions on https:\/\/hooks/, /^Delete/),
      delivery: async (page) => {
        await page.getByRole('row').filter({ hasText: 'hooks.example.org' }).first().click()
        const deliveries = page.getByRole('grid', { name: 'Deliveries' })
        await deliveries.getByRole('row').nth(1).click()
      },
    },
  ],
  [{ tab: 'Redaction' }, {}],
  [{ tab: 'Usage' }, {}],
  [{ tab: 'Audit' }, {}],
  [{ tab: 'Installation' }, {}],
  [
    'overview',
    {
      access: press(/^Ad clicks stall/, /^Access to this incident/),
      bundle: press(/^Ad clicks stall/, /^Download as a bundle/),
      history: press(/^(Write a|Edit the) summary/, 'History of Summary'),
      name: command('name this view'),
    },
  ],
  [
    'artifacts',
    {
      paste: press('Paste text'),
      given: press('Time and host'),
      type: opensFile('my.cnf', 'Actions', /^Set the type/),
      delete: press('Actions', /^Delete/),
    },
  ],
  ['raw', { run: lineThen('Values of a run') }],
  [{ tab: 'Parse receipt' }, {}],
  [{ tab: 'Clock' }, {}],
  [
    'undated',
    {
      times: press(/^Give it a time/),
      servers: press('Show servers'),
      columns: opensFile('notes.csv', 'Actions', /^Define the columns/),
    },
  ],
  [
    'timeline',
    {
      lanes: press('Choose lanes'),
      others: press('Arrange', /^Other incidents/),
      note: key('n'),
    },
  ],
  [{ tab: 'Table' }, {}],
  [{ tab: 'Runs' }, {}],
  ['waits', { pin: press(/^Pin as evidence/) }],
  [{ tab: 'Tree' }, {}],
  [{ tab: 'Matrix' }, {}],
  [{ tab: 'Table' }, {}],
  ['stacks', {}],
  [{ tab: 'Threads' }, {}],
  [{ tab: 'Sessions' }, {}],
  ['stacks?show=flame', {}],
  [{ tab: 'Inverted' }, {}],
  ['tables', {}],
  [{ tab: 'Server settings' }, {}],
  [{ tab: 'Deadlocks' }, {}],
  [{ tab: 'Top queries' }, {}],
  [{ tab: 'Log' }, {}],
  [{ tab: 'Result sets' }, {}],
  ['compare', { redacted: press(/^Redacted CSV/) }],
  [{ tab: 'Active sessions' }, {}],
  [{ tab: 'Waits' }, {}],
  [{ tab: 'Stacks' }, {}],
  [{ tab: 'Hosts' }, {}],
  ['hypotheses', { new: press('New hypothesis') }],
  ['hypotheses?tab=matrix', {}],
  ['hypotheses?tab=evidence', { record: press(/^Record an absence/) }],
  [
    'experiments',
    {
      plan: press('Plan an experiment'),
      paste: press('Paste results'),
      symptom: press('Add a symptom'),
    },
  ],
  ['report', { export: press(/^Export/) }],
  [{ tab: 'Insert' }, {}],
  [{ tab: 'Comments' }, {}],
  [{ tab: 'Actions' }, {}],
  [{ tab: 'Versions' }, {}],
  ['activity', { keys: key('?'), palette: key('/') }],
]

async function settled(page: Page) {
  await expect(page.locator('#canvas, main').first()).toBeVisible()
  await expect(page.locator('.skeleton-rows, .skeleton, [aria-busy="true"]')).toHaveCount(0)
}

/** Click a tab, or the button of a view, and wait until it is the chosen one. */
async function show(page: Page, name: string) {
  const exact = { name, exact: true }
  const tab = page.getByRole('tab', exact).or(page.getByRole('button', exact))
  await tab.first().click()
  const chosen = page
    .getByRole('tab', { ...exact, selected: true })
    .or(page.getByRole('button', { ...exact, pressed: true }))
  await expect(chosen.first()).toBeVisible()
}

/** Rows that look like those before them: axe takes a millisecond for each. */
const LIKE_THE_FIRST =
  '[role="row"]:nth-child(n + 9), [role="option"]:nth-child(n + 9), li:nth-child(n + 13)'

/** What axe finds in both themes; they differ by their colours only. */
async function inBothThemes(page: Page, within?: string): Promise<string[]> {
  const all: string[] = []
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    const found = await violations(page, {
      exclude: [LIKE_THE_FIRST],
      ...(within && { include: [within] }),
      ...(theme === 'dark' && { rules: ['color-contrast', 'link-in-text-block'] }),
    })
    all.push(...found.map((line) => `${theme}, ${line}`))
  }
  return all
}

/** Whether the keyboard is in the dialog, also after a step over its last and its first control. */
async function holdsKeyboard(page: Page, dialog: Locator): Promise<boolean> {
  const has = () => dialog.evaluate((element) => element.contains(document.activeElement))
  const focusEnd = (end: 0 | -1) =>
    dialog.evaluate((element, at) => {
      const controls = [
        ...element.querySelectorAll<HTMLElement>('button, input, select, textarea, a'),
      ]
      controls
        .filter((each) => each.tabIndex >= 0 && !each.matches(':disabled') && each.offsetParent)
        .at(at)
        ?.focus()
    }, end)
  if (!(await has())) return false
  await focusEnd(-1)
  await page.keyboard.press('Tab')
  if (!(await has())) return false
  await focusEnd(0)
  await page.keyboard.press('Shift+Tab')
  return has()
}

/** Group the screens with the tabs behind each. */
function withTabs<Screen extends (typeof SCREENS)[number]>(screens: readonly Screen[]): Screen[][] {
  const groups: Screen[][] = []
  for (const screen of screens) {
    if (typeof screen[0] === 'string') groups.push([screen])
    else groups.at(-1)?.push(screen)
  }
  return groups
}

test('axe finds nothing, on every screen and in every dialog, in both themes', async ({ page }) => {
  for (const [place, dialogs] of dealt(withTabs(SCREENS)).flat()) {
    const path = typeof place === 'string' ? place : place.tab
    await test.step(path, async () => {
      if (place === 'undated') await page.goto(`/incidents/${undated}/artifacts`)
      else if (place === 'raw') {
        await page.goto(`/incidents/${incident}/artifacts`)
        await page.getByRole('row').filter({ hasText: 'innodb-status.txt' }).click()
        await show(page, 'Raw text')
      } else if (typeof place === 'string')
        await page.goto(place.startsWith('/') ? place : `/incidents/${incident}/${place}`)
      else await show(page, place.tab)
      await settled(page)
      expect.soft(await inBothThemes(page), path).toEqual([])
      for (const [name, open] of Object.entries(dialogs)) {
        await open(page)
        const dialog = page.getByRole('dialog')
        await expect(dialog).toBeVisible()
        await expect(dialog.locator('[aria-busy="true"]')).toHaveCount(0)
        expect.soft(await inBothThemes(page, '[role="dialog"]'), `${path}, ${name}`).toEqual([])
        expect.soft(await holdsKeyboard(page, dialog), `${path}, ${name}`).toBe(true)
        await page.keyboard.press('Escape')
        await expect(dialog).toBeHidden()
        // Not on the page itself: there, Tab would begin at its top again.
        await expect.soft(page.locator('body'), `${path}, ${name}`).not.toBeFocused()
      }
    })
  }
})

test('the journey works by the keyboard alone', async ({ page }) => {
  const screen = (name: string) => page.getByRole('heading', { level: 1, name })

  await test.step('from the list into the incident', async () => {
    await page.goto('/')
    await settled(page)
    await page.keyboard.press('/')
    await page.keyboard.type('overview')
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toBeHidden()
    await page.goto(`/incidents/${incident}/overview`)
    await settled(page)
    await reach(page, /^Details$|^Who blocked whom$/)
  })

  await test.step('pin the root blocker of the wait graph', async () => {
    await page.goto(`/incidents/${incident}/waits`)
    await settled(page)
    await reach(page, /session 390/)
    const inspector = page.getByRole('complementary', { name: 'Inspector' })
    await expect(inspector).toContainText('session 390')
    await page.keyboard.press('p')
    const dialog = page.getByRole('dialog', { name: 'Pin as evidence' })
    await expect(dialog).toBeVisible()
    const statement = dialog.getByLabel('Statement of the new hypothesis')
    await reach(page, /^Statement of the new hypothesis$/, 'End')
    await expect(statement).toBeFocused()
    await page.keyboard.type('The keyboard alone pins this')
    await reach(page, /^Pin$/)
    await expect(dialog).toBeHidden()
  })

  await test.step('set the confidence of the hypothesis', async () => {
    await page.keyboard.press('g')
    await page.keyboard.press('h')
    await page.waitForURL(/\/hypotheses/)
    await expect(screen('Hypotheses of')).toBeAttached()
    await settled(page)
    await reach(page, /The keyboard alone pins this/)
    const inspector = page.getByRole('complementary', { name: 'Inspector' })
    await expect(inspector.getByRole('slider')).toBeVisible()
    await reach(page, /^Remove: /)
    await expect(page.getByText(/^Removed from H/)).toBeVisible()
    await page.keyboard.press('z')
    await expect(inspector.getByTestId('evidence-item')).toHaveCount(1)
    await page.keyboard.press('Escape')
  })

  await test.step('write into the report, move a block, take it back, go to the other parts', async () => {
    await page.keyboard.press('g')
    await page.keyboard.press('r')
    await page.waitForURL(/\/report/)
    await settled(page)
    const summary = page.getByRole('region', { name: 'Summary' })
    const impact = page.getByRole('region', { name: 'Impact' })
    await expect(page.getByRole('textbox', { name: 'Summary, Markdown' })).toBeVisible()
    await reach(page, /^Summary, Markdown$/, 'Control+End')
    await page.keyboard.type('\n\nIt was idle.\n\n/waits')
    await expect(page.getByRole('option', { name: /wait graph/i })).toBeVisible()
    await page.keyboard.press('Enter')
    await expect(summary.locator('[data-node]').first()).toBeVisible()
    await page.keyboard.press('Alt+ArrowDown')
    await expect(impact.locator('[data-node]').first()).toBeVisible()
    await page.keyboard.press('Control+z')
    await expect(summary.locator('[data-node]').first()).toBeVisible()
    await expect(impact.locator('[data-node]')).toHaveCount(0)
    await page.keyboard.press('F6')
    await reach(page, /^Checks/, 'ArrowRight', 10, 'Shift+Tab')
    await expect(page.getByRole('tab', { name: 'Insert' })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('tab', { name: 'Insert', selected: true })).toBeFocused()
    const sources = await summary.locator('.doc-source').count()
    await reach(page, /session 390.* blocks/)
    await expect.poll(() => summary.locator('.doc-source').count()).toBeGreaterThan(sources)
  })

  await test.step('export the report', async () => {
    await page.goto(`/incidents/${incident}/report`)
    await settled(page)
    await reach(page, /^Export/)
    const dialog = page.getByRole('dialog')
    await expect(dialog).toBeVisible()
    const download = page.waitForEvent('download')
    await reach(page, /^Export /)
    await download
  })
})
