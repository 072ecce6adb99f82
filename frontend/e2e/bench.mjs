/**
 * How the screens bear a big incident: 200 series of a million samples, a wait graph of 5,000 nodes.
 *
 * Starts a real `pileup run` on a throw-away folder, puts the incident in (backend/benchmarks/ui_data.py),
 * and measures in headless Chromium: a cold overview (of this incident and of a sample), the first view of
 * each screen, frames while panning, zooming and scrolling the timeline, long tasks, bytes. Last, the search
 * among a thousand incidents (backend/benchmarks/many_incidents.py). Prints tables and writes them with
 * --markdown FILE.
 * Usage: node bench.mjs [--series 200] [--samples 1000000] [--markdown FILE]
 */
/* global document, window, getComputedStyle, requestAnimationFrame, MutationObserver */
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { cpus, loadavg, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import { FLAGS, findChromium } from './chromium.mjs'
import { REPOSITORY, startPileup } from './pileup.mjs'

const option = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? fallback : process.argv[at + 1]
}
const SERIES = Number(option('series', 200))
const SAMPLES = Number(option('samples', 1_000_000))
const TO_REACH = {
  cold: 1000,
  weight: 500_000,
  first: 2000,
  frame: 50,
  bytes: 2_000_000,
  graph: 1000,
  search: 100,
}
const COLD_ROUNDS = 7
const SAMPLE = 'ahi-pileup'
const INCIDENTS = 1000
const SEARCHED = [
  SAMPLE,
  'hot-row',
  'games-ahi',
  'fulltext-commit',
  'commit-mutex',
  'concurrency-cliff',
  'ahi-build',
  'commit-pileup',
]
/** What people look for: sessions, variables, tables, files, code, words of findings and notes. */
const QUESTIONS = [
  'session 390',
  '390',
  'innodb_thread_concurrency',
  'campaign_counters',
  'metadata lock',
  'btr0sea.cc',
  'full-text cache sync',
  'innodb-status',
  'update campaign',
  'latch',
  'adaptive hash index',
  'Threads_running',
  'nothing like this',
  'fsync commit',
  'one idle transaction',
]
const SEARCH_ROUNDS = 8
const PEOPLE = { name: 'Ada Example', email: 'ada@example.org', password: 'a long enough password' }

/** Each screen and what is on it when its first view stands. */
const SCREENS = [
  ['overview', 'main h2, main h3'],
  ['timeline', '[data-testid="timeline-plot"] canvas'],
  ['waits', '[data-testid="wait-headline"]'],
  ['stacks', 'main h2, .empty'],
  ['artifacts', 'main table, main .empty'],
  ['hypotheses', 'main button'],
  ['experiments', 'main button'],
  ['report', 'main'],
]

async function signIn(page, link) {
  await page.goto(link)
  await page.getByLabel('Name').first().fill(PEOPLE.name)
  await page.getByLabel('Email').first().fill(PEOPLE.email)
  await page.getByLabel('Password').first().fill(PEOPLE.password)
  await page.getByRole('button', { name: /sign in|create|continue|start/i }).click()
  await page.getByRole('heading', { name: 'Incidents' }).waitFor()
}

async function csrf(context) {
  const cookies = await context.cookies()
  const token = cookies.find((cookie) => cookie.name === 'pileup_csrf')?.value ?? ''
  return { 'X-CSRF-Token': decodeURIComponent(token) }
}

/** Load a sample; its id once it is analysed. */
async function loadSample(context, name) {
  const headers = await csrf(context)
  const loaded = await context.request.post(`/api/v1/samples/${name}/load`, { headers })
  const { id } = await loaded.json()
  for (;;) {
    const answer = await context.request.get(`/api/v1/incidents/${id}/overview`)
    const { analysis, artifacts } = await answer.json()
    if (artifacts.total > 0 && artifacts.parsing === 0 && analysis.state === 'done') return id
    await new Promise((done) => setTimeout(done, 500))
  }
}

/** Note when the page shows what `mark` selects, painted (in the page, before its scripts). */
function watchFor(mark) {
  const seen = new MutationObserver(() => {
    if (!document.querySelector(mark)) return
    seen.disconnect()
    requestAnimationFrame(() =>
      setTimeout(() => {
        window.shownAt = performance.now()
      }),
    )
  })
  seen.observe(document, { childList: true, subtree: true })
}

/** An overview in a browser of its own, with nothing in its cache: time, bytes of the wire, requests. */
async function coldOverview(launch, storageState, address, mark) {
  const browser = await launch()
  try {
    const context = await browser.newContext({
      storageState,
      viewport: { width: 1440, height: 900 },
    })
    const page = await context.newPage()
    const network = await context.newCDPSession(page)
    await network.send('Network.enable')
    const seen = { bytes: 0, requests: 0 }
    network.on('Network.requestWillBeSent', () => (seen.requests += 1))
    network.on('Network.dataReceived', (part) => (seen.bytes += part.encodedDataLength))
    await page.addInitScript(watchFor, mark)
    await page.goto(address, { waitUntil: 'commit' })
    await page.waitForFunction(() => window.shownAt, undefined, { timeout: 60_000, polling: 200 })
    const ms = await page.evaluate(() => window.shownAt)
    await page.waitForTimeout(1500)
    return { ms, ...seen }
  } finally {
    await browser.close()
  }
}

/** Each overview several times: the machine is never quite idle. */
async function coldOverviews(launch, context, overviews) {
  const storageState = await context.storageState()
  const rows = []
  for (const [name, address, mark] of overviews) {
    const rounds = []
    for (let round = 0; round < COLD_ROUNDS; round++) {
      rounds.push(await coldOverview(launch, storageState, address, mark))
    }
    rounds.sort((a, b) => a.ms - b.ms)
    const middle = rounds[Math.floor(COLD_ROUNDS / 2)]
    rows.push({
      name,
      least: rounds[0].ms,
      median: middle.ms,
      bytes: Math.max(...rounds.map(({ bytes }) => bytes)),
      requests: middle.requests,
      load: loadavg()[0],
    })
    console.log(`cold overview, ${name}`, ms(middle.ms))
  }
  return rows
}

/** Run a script of backend/benchmarks on the data folder; what it prints goes to stderr. */
function fill(script, ...words) {
  const python = process.env.PYTHON ?? join(REPOSITORY, '.venv', 'bin', 'python')
  execFileSync(python, ['-m', `benchmarks.${script}`, ...words], {
    cwd: join(REPOSITORY, 'backend'),
    stdio: ['ignore', 'inherit', 'inherit'],
  })
}

/** The search among a thousand incidents, each question several times. */
async function search(context, home) {
  for (const name of SEARCHED) await loadSample(context, name)
  fill('many_incidents', '--home', home, '--incidents', String(INCIDENTS))
  const ask = async (question) => {
    const started = performance.now()
    const answer = await context.request.get(`/api/v1/search?q=${encodeURIComponent(question)}`)
    const found = await answer.json()
    return { ms: performance.now() - started, found: found.length }
  }
  const rows = []
  for (const question of QUESTIONS) {
    const rounds = []
    for (let round = 0; round < SEARCH_ROUNDS; round++) rounds.push(await ask(question))
    const times = rounds.map((round) => round.ms).sort((a, b) => a - b)
    rows.push({ question, times, found: rounds[0].found, load: loadavg()[0] })
  }
  return rows
}

async function makeIncident(context, home) {
  const made = await context.request.post('/api/v1/incidents', {
    data: { title: `A day of ${SERIES} series` },
    headers: await csrf(context),
  })
  const { id } = await made.json()
  const size = ['--series', String(SERIES), '--samples', String(SAMPLES)]
  fill('ui_data', '--home', home, '--incident', id, ...size)
  return id
}

/** Bytes of the bodies of API answers, as they were before compression. */
function counting(page) {
  const seen = { bytes: 0, largest: 0, of: '', open: new Set() }
  page.on('request', (request) => seen.open.add(request))
  page.on('requestfailed', (request) => seen.open.delete(request))
  page.on('requestfinished', (request) => {
    void (async () => {
      const { pathname } = new URL(request.url())
      // A page that closes leaves its last requests without an answer.
      const response = await request.response().catch(() => null)
      const isData = pathname.startsWith('/api/') && !pathname.endsWith('/events')
      const size =
        isData && response
          ? await response.body().then(
              (b) => b.length,
              () => 0,
            )
          : 0
      seen.bytes += size
      if (size > seen.largest) Object.assign(seen, { largest: size, of: pathname })
      seen.open.delete(request)
    })()
  })
  return seen
}

/** Time from the click on a link to the screen to its first view, its data drawn. */
async function firstView(context, base, id, screen, mark) {
  const page = await context.newPage()
  const seen = counting(page)
  const started = performance.now()
  await page.goto(`${base}/incidents/${id}/${screen}`, { waitUntil: 'commit' })
  await page.locator(mark).first().waitFor({ timeout: 60_000 })
  if (screen === 'timeline') await page.waitForFunction(drawn, undefined, { timeout: 60_000 })
  const ms = performance.now() - started
  await page.waitForTimeout(1500)
  await page.close()
  return { screen, ms, bytes: seen.bytes, largest: seen.largest, of: seen.of }
}

/** Whether the plot's canvas holds a stroke of a metric lane (in the page). */
function drawn() {
  const canvas = document.querySelector('[data-testid="timeline-plot"] canvas')
  if (!canvas || canvas.width === 0) return false
  const style = getComputedStyle(document.documentElement).getPropertyValue('--cat-1').trim()
  const wanted = [1, 3, 5].map((at) => parseInt(style.slice(at, at + 2), 16))
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
  for (let i = 0; i < data.length; i += 4) {
    if (data[i + 3] > 200 && wanted.every((part, at) => Math.abs(data[i + at] - part) < 6))
      return true
  }
  return false
}

/** Frame times and long tasks while something is done (in the page). */
async function frames(page, act) {
  await page.evaluate(() => {
    const seen = { times: [], long: [], running: true }
    window.seenFrames = seen
    let before = performance.now()
    const tick = (now) => {
      seen.times.push(now - before)
      before = now
      if (seen.running) requestAnimationFrame(tick)
    }
    requestAnimationFrame((now) => {
      before = now
      requestAnimationFrame(tick)
    })
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) seen.long.push(entry.duration)
    })
    observer.observe({ entryTypes: ['longtask'] })
  })
  await act()
  return page.evaluate(() => {
    const seen = window.seenFrames
    seen.running = false
    return { times: seen.times, long: seen.long }
  })
}

function percentiles({ times, long }) {
  const sorted = [...times].sort((a, b) => a - b)
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
  return {
    frames: sorted.length,
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    max: sorted.at(-1) ?? 0,
    long: long.length,
  }
}

async function motion(context, base, id) {
  const page = await context.newPage()
  const seen = counting(page)
  await page.goto(`${base}/incidents/${id}/timeline?show=all`)
  await page.waitForFunction(drawn, undefined, { timeout: 60_000 })
  await page.waitForTimeout(3000)
  const box = await page.getByTestId('timeline-plot').boundingBox()
  const left = box.x + 60
  const middle = box.x + box.width / 2
  const y = 480
  const result = {}
  await page.keyboard.press('0')
  await page.waitForTimeout(2000)
  for (let i = 0; i < 8; i++) await page.keyboard.press('w')
  await page.waitForTimeout(3000)
  // a hand moves the pointer about every frame
  const drag = async (from, to, steps) => {
    await page.mouse.move(from, y)
    await page.keyboard.down('Shift')
    await page.mouse.down()
    for (let i = 1; i <= steps; i++) {
      await page.mouse.move(from + ((to - from) * i) / steps, y)
      await page.waitForTimeout(12)
    }
    await page.mouse.up()
    await page.keyboard.up('Shift')
  }
  result.pan = percentiles(
    await frames(page, async () => {
      for (let i = 0; i < 3; i++) {
        await drag(middle + 300, left, 60)
        await drag(left, middle + 300, 60)
      }
    }),
  )
  result.zoom = percentiles(
    await frames(page, async () => {
      await page.mouse.move(middle, y)
      for (let i = 0; i < 60; i++) {
        await page.keyboard.down('Control')
        await page.mouse.wheel(0, i < 30 ? -40 : 40)
        await page.keyboard.up('Control')
        await page.waitForTimeout(20)
      }
    }),
  )
  result.scroll = percentiles(
    await frames(page, async () => {
      await page.mouse.move(middle, y)
      for (let i = 0; i < 80; i++) {
        await page.mouse.wheel(0, 110)
        await page.waitForTimeout(16)
      }
    }),
  )
  result.hover = percentiles(
    await frames(page, async () => {
      for (let i = 0; i < 150; i++) {
        await page.mouse.move(left + ((i * 13) % (box.width - 160)), y)
        await page.waitForTimeout(12)
      }
    }),
  )
  await page.waitForTimeout(1500)
  await page.close()
  return { ...result, bytes: seen.bytes, largest: seen.largest, of: seen.of }
}

/** From asking for the graph of 5,000 nodes to its answer: of the worst moment and of another. */
async function graph(context, id) {
  const waits = `/api/v1/incidents/${id}/waits`
  const moments = await (await context.request.get(`${waits}/moments`)).json()
  const other = moments.at(-1)
  const asked = {
    'the first view: made ready by the worker': 'at=worst',
    'another moment, folded: made when it is asked for': `at=${other.time}`,
    'the same again, unfolded': `at=${other.time}&fold=none`,
  }
  const times = {}
  for (const [name, words] of Object.entries(asked)) {
    const started = performance.now()
    const answer = await context.request.get(`${waits}?${words}`)
    const body = await answer.body()
    times[name] = { ms: performance.now() - started, bytes: body.length, status: answer.status() }
  }
  return times
}

/** From the click that opens every group to the nodes on the screen: the answer, the layout, the drawing. */
async function openAll(context, id) {
  const page = await context.newPage()
  await page.goto(`/incidents/${id}/waits`)
  await page.getByTestId('wait-headline').waitFor()
  await page.waitForTimeout(3000)
  const seen = await frames(page, async () => {
    await page.getByRole('button', { name: 'Open all groups' }).click()
    await page.waitForFunction(() => {
      const count = /([0-9]+) nodes/.exec(document.querySelector('.graph-foot')?.textContent ?? '')
      return Number(count?.[1]) > 1000
    })
  })
  await page.close()
  return { ms: seen.times.reduce((sum, time) => sum + time, 0), longest: Math.max(0, ...seen.long) }
}

const kb = (bytes) => `${Math.round(bytes / 1000).toLocaleString('en')} kB`
const ms = (value) => `${Math.round(value)} ms`
const fine = (ok) => (ok ? '' : ' (missed)')

/** The table of the search, and its median and 95th percentile over all questions. */
function searchRows(searched) {
  const all = searched.flatMap(({ times }) => times).sort((a, b) => a - b)
  const p95 = all[Math.floor(all.length * 0.95)]
  return [
    `## Search among ${INCIDENTS.toLocaleString('en')} incidents`,
    '',
    `\`/search\`, ${QUESTIONS.length} questions, ${SEARCH_ROUNDS} times each, copies of the ${SEARCHED.length} samples. To reach: under 100 ms.`,
    '',
    '| question | results | median | longest |',
    '|---|--:|--:|--:|',
    ...searched.map(
      ({ question, times, found }) =>
        `| ${question} | ${found} | ${ms(times[times.length >> 1])} | ${ms(times.at(-1))} |`,
    ),
    '',
    `Over all of them the median is ${ms(all[all.length >> 1])}, the 95th percentile ${ms(p95)}${fine(p95 < TO_REACH.search)}; load of the machine ${searched.at(-1).load.toFixed(1)}.`,
    '',
  ]
}

function report(cold, views, moves, waits, opened, searched, browser) {
  const rows = [
    '# How the screens bear a big incident',
    '',
    `Made by \`make bench-ui\`: ${SERIES} series of ${SAMPLES.toLocaleString('en')} samples, a wait graph of 5,000 nodes;`,
    `headless Chromium ${browser} without a GPU at 1440 × 900, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, server and browser on one machine.`,
    'Times depend on what else the machine does; bytes do not.',
    '',
    '## Cold overview',
    '',
    `From the address to the painted first view with its data, in a new browser that has nothing in its cache, ${COLD_ROUNDS} times each. To reach: a median`,
    `under 1.0 s and less than 500 kB over the wire, with everything that the page fetches in the 1.5 s afterwards.`,
    '',
    '| incident | least | median | over the wire | requests | load of the machine |',
    '|---|--:|--:|--:|--:|--:|',
    ...cold.map(
      (row) =>
        `| ${row.name} | ${ms(row.least)} | ${ms(row.median)}${fine(row.median < TO_REACH.cold)} | ${kb(row.bytes)}${fine(row.bytes < TO_REACH.weight)} | ${row.requests} | ${row.load.toFixed(1)} |`,
    ),
    '',
    '## First view',
    '',
    'From the address to the first view with its data, cold page each. To reach: under 2 s and no answer over 2 MB.',
    '',
    '| screen | first view | data | largest answer |',
    '|---|--:|--:|---|',
    ...views.map(
      (view) =>
        `| ${view.screen} | ${ms(view.ms)}${fine(view.ms < TO_REACH.first)} | ${kb(view.bytes)} | ${kb(view.largest)}${fine(view.largest <= TO_REACH.bytes)} ${view.of.split('/').at(-1) ?? ''} |`,
    ),
    '',
    '## Frames of the timeline',
    '',
    'Time between frames while all lanes are shown. To reach: no frame over 50 ms while panning.',
    '',
    '| what | frames | p50 | p95 | p99 | longest | long tasks |',
    '|---|--:|--:|--:|--:|--:|--:|',
    ...['pan', 'zoom', 'scroll', 'hover'].map((name) => {
      const move = moves[name]
      const missed = name === 'pan' && move.max > TO_REACH.frame
      return `| ${name} | ${move.frames} | ${move.p50.toFixed(1)} | ${move.p95.toFixed(1)} | ${move.p99.toFixed(1)} | ${move.max.toFixed(1)}${fine(!missed)} | ${move.long} |`
    }),
    '',
    `Over all of it ${kb(moves.bytes)} of data came, the largest answer ${kb(moves.largest)}${fine(moves.largest <= TO_REACH.bytes)} (${moves.of.split('/').at(-1) ?? ''}).`,
    '',
    '## Wait graph of 5,000 nodes',
    '',
    '| how | answer after | bytes |',
    '|---|--:|--:|',
    ...Object.entries(waits).map(
      ([name, wait]) =>
        `| ${name} | ${ms(wait.ms)}${fine(wait.ms < TO_REACH.graph)} | ${wait.status === 200 ? kb(wait.bytes) : `refused (${wait.status})`}${fine(wait.bytes <= TO_REACH.bytes)} |`,
    ),
    '',
    `From the click on “Open all groups” to all of it on the screen ${ms(opened.ms)}${fine(opened.ms < TO_REACH.graph)}, the longest task ${ms(opened.longest)}.`,
    '',
    ...searchRows(searched),
  ]
  return rows.join('\n')
}

async function main() {
  const found = await findChromium()
  const folder = await mkdtemp(join(tmpdir(), 'pileup-bench-'))
  const home = join(folder, 'home')
  const server = await startPileup(home)
  try {
    const launch = () =>
      chromium.launch({
        executablePath: found.executablePath,
        args: [...FLAGS, '--disable-gpu'],
      })
    const browser = await launch()
    const context = await browser.newContext({
      baseURL: server.baseUrl,
      viewport: { width: 1440, height: 900 },
    })
    const page = await context.newPage()
    await signIn(page, server.signInLink)
    await page.close()
    console.log('making the incident')
    const id = await makeIncident(context, home)
    const sample = await loadSample(context, SAMPLE)
    const overview = (incident) => `${server.baseUrl}/incidents/${incident}/overview`
    const cold = await coldOverviews(launch, context, [
      [`the sample \`${SAMPLE}\``, overview(sample), '.active-sessions svg path'],
      [`${SERIES} series of ${SAMPLES.toLocaleString('en')} samples`, overview(id), 'main h2'],
    ])
    const views = []
    for (const [screen, mark] of SCREENS) {
      views.push(await firstView(context, server.baseUrl, id, screen, mark))
      console.log(screen, ms(views.at(-1).ms))
    }
    const moves = await motion(context, server.baseUrl, id)
    const waits = await graph(context, id)
    const opened = await openAll(context, id)
    const searched = await search(context, home)
    const text = report(cold, views, moves, waits, opened, searched, browser.version())
    console.log(`\n${text}`)
    const file = option('markdown', '')
    if (file) await writeFile(file, text)
    await browser.close()
  } finally {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

main().catch((error) => {
  console.error(`bench-ui: ${error.stack ?? error.message}`)
  process.exit(1)
})
