/** The browser tests. Started by run.mjs, which gives BASE_URL, SIGN_IN_LINK and CHROME. */
import { defineConfig } from '@playwright/test'
import { FLAGS } from './chromium.mjs'
import { share } from './share'

const baseURL = process.env['BASE_URL']
const executablePath = process.env['CHROME']
if (!baseURL || !executablePath) {
  throw new Error('BASE_URL and CHROME are unset: start the journey by `npm run e2e`, not directly')
}

/** About half of the time of all specs, of which a share runs each day. */
const SCREENS = ['accessible.spec.ts', 'everywhere.spec.ts', 'matrix.spec.ts', 'waits.spec.ts']
/** Of all others, the project `journey` has the whole way every day, and of these one list. */
const JOURNEYS = [
  ['keyboard.spec.ts', 'paste.spec.ts', 'report.spec.ts'],
  ['tables.spec.ts', 'timeline.spec.ts', 'together.spec.ts'],
]
/** Those of today: axe looks at a share of the screens every day, the others take turns. */
const [turn, of] = share()
const TODAY =
  of === 1
    ? SCREENS
    : ['accessible.spec.ts', ...SCREENS.slice(1).filter((_, at) => at > 0 === turn % 2 > 0)]
/** Each walk without a mouse has its day: this one, and keyboard.spec.ts. */
const ALONE = of === 1 ? [] : /by the keyboard alone/
const OTHER_DAYS = of === 1 ? [] : JOURNEYS.filter((_, at) => at === turn % 2).flat()

export default defineConfig({
  testDir: '.',
  testMatch: '*.spec.ts',
  outputDir: '../test-results',
  fullyParallel: false,
  workers: 1,
  forbidOnly: true,
  retries: 0,
  timeout: 120_000,
  expect: { timeout: 15_000 },
  reporter: [['list', { printSteps: true }]],
  use: {
    baseURL,
    viewport: { width: 1440, height: 900 },
    locale: 'en-GB',
    timezoneId: 'UTC',
    contextOptions: { reducedMotion: 'reduce' },
    actionTimeout: 20_000,
    screenshot: 'only-on-failure',
    // Pictures of every step cost a sixth of the processor time; `--trace retain-on-failure` takes them.
    trace: { mode: 'retain-on-failure', screenshots: false, snapshots: false },
    launchOptions: { executablePath, args: FLAGS },
  },
  projects: [
    {
      name: 'sign-in',
      testMatch: 'sign-in.spec.ts',
    },
    {
      name: 'screens',
      testMatch: TODAY,
      grepInvert: turn % 2 ? ALONE : [],
      dependencies: ['sign-in'],
      use: { storageState: process.env['STORAGE_STATE'] ?? '' },
    },
    {
      name: 'journey',
      testMatch: '*.spec.ts',
      testIgnore: [
        ...['sign-in.spec.ts', 'screenshots.spec.ts', 'probes.spec.ts'],
        ...SCREENS,
        ...OTHER_DAYS,
      ],
      dependencies: ['sign-in'],
      use: { storageState: process.env['STORAGE_STATE'] ?? '' },
    },
    {
      name: 'probes',
      testMatch: 'probes.spec.ts',
      dependencies: ['sign-in'],
      use: { storageState: process.env['STORAGE_STATE'] ?? '' },
    },
    {
      name: 'screenshots',
      testMatch: 'screenshots.spec.ts',
      dependencies: ['sign-in'],
      use: { storageState: process.env['STORAGE_STATE'] ?? '' },
    },
  ],
})
