/**
 * Finds a Chromium for the browser journey: $CHROME, else one on PATH, else apt-get (as root),
 * else the npm package in ./fallback. `node chromium.mjs` prints what was found.
 *
 * The headless shell is the same engine without the browser's own windows: a page in it takes half
 * of the processor time, so it comes first.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const NAMES = [
  'chromium-headless-shell',
  'chrome-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
]
/** Their names in distributions; not every one has the shell. */
const PACKAGES = ['chromium-headless-shell', 'chromium']
const HERE = dirname(fileURLToPath(import.meta.url))

/** Our own flags: no sandbox (tests run as root in containers), nothing in the background. */
export const FLAGS = [
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-sync',
  '--no-first-run',
  '--no-default-browser-check',
]

/** @returns {Promise<{executablePath: string, env: Record<string, string>, how: string}>} */
export async function findChromium() {
  const named = process.env.CHROME
  if (named) {
    if (!existsSync(named)) throw new Error(`CHROME names ${named}, which is not there`)
    return { executablePath: named, env: {}, how: '$CHROME' }
  }
  const found = onPath(NAMES)
  if (found) return { executablePath: found, env: {}, how: 'PATH' }
  if (process.getuid?.() === 0 && onPath(['apt-get']) && aptInstall()) {
    const installed = onPath(NAMES)
    if (installed) return { executablePath: installed, env: {}, how: 'apt-get' }
  }
  return fallback()
}

function onPath(names) {
  for (const name of names) {
    for (const folder of (process.env.PATH ?? '').split(delimiter)) {
      if (folder && existsSync(join(folder, name))) return join(folder, name)
    }
  }
  return null
}

function aptInstall() {
  console.error('chromium: none on PATH; installing it with apt-get')
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const apt = (...words) =>
    spawnSync('apt-get', ['-qq', '-o', 'DPkg::Lock::Timeout=120', ...words], {
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    }).status === 0
  const install = () =>
    PACKAGES.some((name) => apt('install', '-y', '--no-install-recommends', name))
  return install() || (apt('update') && install())
}

async function fallback() {
  const folder = join(HERE, 'fallback')
  if (!existsSync(join(folder, 'node_modules', '@sparticuz', 'chromium'))) {
    console.error('chromium: none on PATH; installing one with npm')
    execFileSync('npm', ['ci', '--silent'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  }
  // These two make the package unpack its own shared libraries (libnspr4, libnss3, ...) too.
  process.env.AWS_LAMBDA_JS_RUNTIME ??= 'nodejs20.x'
  process.env.AWS_EXECUTION_ENV ??= 'AWS_Lambda_nodejs20.x'
  const entry = createRequire(join(folder, 'package.json')).resolve('@sparticuz/chromium')
  const { default: chromium } = await import(pathToFileURL(entry).href)
  const executablePath = await chromium.executablePath()
  const env = {}
  for (const name of ['LD_LIBRARY_PATH', 'FONTCONFIG_PATH']) {
    if (process.env[name]) env[name] = process.env[name]
  }
  return { executablePath, env, how: 'npm' }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { executablePath, how } = await findChromium()
  console.log(`${executablePath} (${how})`)
}
