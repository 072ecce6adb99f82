/** Starts a real `pileup run` for browser tests and measurements. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export const REPOSITORY = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..')
const START_LIMIT_MS = 120_000
const STOP_LIMIT_MS = 60_000

/** Starts `pileup run`; resolves when it has printed its sign-in link. */
export async function startPileup(home) {
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
