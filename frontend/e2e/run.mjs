/**
 * Runs the browser journey against a real `pileup run` on a throw-away data folder and a free
 * port; with BASE_URL and SIGN_IN_LINK set (compose), against that server instead.
 *
 * Usage: node run.mjs [playwright arguments, such as --project=journey]
 */
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { findChromium } from './chromium.mjs'

const HERE = dirname(fileURLToPath(import.meta.url))
const REPOSITORY = resolve(HERE, '..', '..')
const START_LIMIT_MS = 120_000
const STOP_LIMIT_MS = 60_000

/** Starts `pileup run`; resolves when it has printed its sign-in link. */
async function startPileup(home) {
  const command = process.env.PILEUP ?? join(REPOSITORY, '.venv', 'bin', 'pileup')
  if (!existsSync(command)) throw new Error(`${command} is not there: run \`make install\` first`)
  const env = { ...process.env, PILEUP_HOME: home, PYTHONUNBUFFERED: '1' }
  for (const name of ['PILEUP_DATABASE_URL', 'PILEUP_BROKER_URL', 'PILEUP_PUBLIC_URL']) {
    delete env[name]
  }
  const child = spawn(command, ['run', '--port', '0'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise((done) => child.on('exit', (code, signal) => done({ code, signal })))
  const link = new Promise((done, fail) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      console.log(`  | ${line.replace(/(link=).*/, '$1…')}`)
      const match = /(https?:\/\/\S+)\/sign-in\?link=\S+/.exec(line)
      if (match) done({ baseUrl: match[1], signInLink: line.trim() })
    })
    ended.then(({ code }) => fail(new Error(`pileup run ended with exit code ${code}`)))
    setTimeout(() => fail(new Error('pileup run printed no link in time')), START_LIMIT_MS).unref()
  })
  const stop = async () => {
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS)
    const how = await ended
    clearTimeout(timer)
    return how
  }
  try {
    return { ...(await link), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function showLogs(home) {
  for (const name of ['api', 'worker', 'postgres']) {
    const text = await readFile(join(home, 'logs', `${name}.log`), 'utf8').catch(() => '')
    if (text) console.log(`---- end of ${name}.log\n${text.slice(-4000)}`)
  }
}

function playwright(words, env) {
  const cli = join(HERE, '..', 'node_modules', '@playwright', 'test', 'cli.js')
  const config = join(HERE, 'playwright.config.ts')
  const child = spawn(process.execPath, [cli, 'test', '--config', config, ...words], {
    env: { ...process.env, ...env },
    stdio: 'inherit',
  })
  return new Promise((done) => child.on('exit', (code) => done(code ?? 1)))
}

async function main() {
  const words = process.argv.slice(2)
  const chromium = await findChromium()
  console.log(`browser: ${chromium.executablePath} (${chromium.how})`)
  const folder = await mkdtemp(join(tmpdir(), 'pileup-e2e-'))
  const env = {
    ...chromium.env,
    CHROME: chromium.executablePath,
    STORAGE_STATE: join(folder, 'signed-in.json'),
  }
  const home = join(folder, 'home')
  const { BASE_URL: given, SIGN_IN_LINK: givenLink } = process.env
  let failed
  try {
    if (given) {
      if (!givenLink) throw new Error('BASE_URL is set and SIGN_IN_LINK is not: set both')
      failed = await playwright(words, { ...env, BASE_URL: given, SIGN_IN_LINK: givenLink })
    } else {
      const server = await startPileup(home)
      failed = await playwright(words, {
        ...env,
        BASE_URL: server.baseUrl,
        SIGN_IN_LINK: server.signInLink,
      })
      const { code, signal } = await server.stop()
      if (code !== 0) {
        console.error(`pileup run did not stop cleanly: exit code ${code}, signal ${signal}`)
        failed ||= 1
      }
    }
    if (failed) await showLogs(home)
  } catch (error) {
    await showLogs(home)
    throw error
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return failed
}

main().then(
  (code) => process.exit(code),
  (error) => {
    console.error(`e2e: ${error.message}`)
    process.exit(1)
  },
)
