/**
 * Runs the browser journey against a real `pileup run` on a throw-away data folder and a free
 * port; with BASE_URL and SIGN_IN_LINK set (compose), against that server instead.
 *
 * Usage: node run.mjs [playwright arguments, such as --project=journey]
 */
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findChromium } from './chromium.mjs'
import { startPileup } from './pileup.mjs'

const HERE = dirname(fileURLToPath(import.meta.url))

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
