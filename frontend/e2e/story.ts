/**
 * What a team did with the sample `ahi-pileup`, by the API: hypotheses, pins, ratings, the experiment
 * with its run, actions. So the pictures show an incident that people have worked on.
 */
import { type BrowserContext, expect } from '@playwright/test'
import { csrf } from './sample'

type Json = Record<string, unknown>
type Rating = 'CC' | 'C' | 'N' | 'I' | 'II' | 'NA'

const FINDING = 'mysql-100512'
const WAITS = 'innodb.semaphore_waits@db-feature-07'
const RUNNING = 'metric.threads_running@db-feature-07'

export async function tellStory(context: BrowserContext, incident: string): Promise<void> {
  const headers = await csrf(context)
  async function call<T = { id: string; revision: number }>(
    method: string,
    path: string,
    data?: Json,
    more?: Record<string, string>,
  ): Promise<T> {
    const answer = await context.request.fetch(`/api/v1${path}`, {
      method,
      headers: { ...headers, ...more },
      ...(data ? { data } : {}),
    })
    const body = await answer.text()
    expect(answer.ok(), `${method} ${path}: ${body}`).toBe(true)
    return (body ? JSON.parse(body) : null) as T
  }
  const of = `/incidents/${incident}`

  const findings = await call<{ finding: { id: string; evidence: Json[] } }[]>(
    'GET',
    `${of}/findings`,
  )
  const found = findings.find(({ finding }) => finding.id === FINDING)?.finding
  const latch = await call<{ id: string; evidence: { pin: { id: string } }[] }>(
    'POST',
    `${of}/findings/${FINDING}/hypothesis`,
  )
  const load = await call('POST', `${of}/hypotheses`, {
    statement: 'The batch sends more statements than the CPUs can serve',
    falsifier: 'the same batch runs with the CPUs as busy, and no session waits',
    confidence: 40,
    mechanisms: ['load'],
  })
  const tree = await call('POST', `${of}/hypotheses`, {
    statement: 'Page splits hold the index tree latch',
    falsifier: 'waits for the index latch are few while sessions pile up',
    confidence: 20,
    mechanisms: ['latch'],
  })

  const pins = latch.evidence.map(({ pin }) => pin.id)
  const lines = (text: string) => {
    const line = found?.evidence.find((each) => String(each['text']).includes(text))
    expect(line, text).toBeDefined()
    const { artifact, path, line_first, line_last } = line as Json
    return {
      kind: 'lines',
      title: String(line?.['text']),
      locator: { artifact, path, line_first, line_last },
      view: `${of}/artifacts?artifact=${String(artifact)}&line=${String(line_first)}`,
    }
  }
  for (const text of ['build or update adaptive hash entries', 'innodb_adaptive_hash_index=ON']) {
    if (pins.length < 3) pins.push((await call('POST', `${of}/pins`, lines(text))).id)
  }
  pins.push(
    (
      await call('POST', `${of}/pins`, {
        kind: 'series',
        title: 'Threads_running from 2 to 268 within two seconds',
        locator: {
          series: [RUNNING],
          start: '2026-11-20T22:16:55Z',
          end: '2026-11-20T22:17:25Z',
        },
        view: `${of}/timeline`,
      })
    ).id,
  )
  pins.push(
    (
      await call('POST', `${of}/pins`, {
        kind: 'statement',
        evidence_kind: 'testimony',
        title: 'The batch ran last week too, and nobody noticed it',
        locator: {},
        view: `${of}/overview`,
        excerpt: 'The team of the feature store, on call that night',
      })
    ).id,
  )
  const ratings: readonly (readonly Rating[])[] = [
    ['CC', 'N', 'I'],
    ['CC', 'I', 'I'],
    ['C', 'N', 'N'],
    ['C', 'C', 'C'],
    ['N', 'II', 'N'],
  ]
  for (const [row, pin_id] of pins.entries()) {
    for (const [column, { id }] of [latch, load, tree].entries()) {
      await call('PUT', `${of}/matrix/ratings`, {
        pin_id,
        hypothesis_id: id,
        rating: ratings[row]?.[column] ?? 'N',
        proposed_by: null,
      })
    }
  }

  await call('POST', `/hypotheses/${latch.id}/confidence`, {
    confidence: 60,
    reason: 'waits and stacks agree on one latch',
    pin_id: pins[0] ?? null,
  })
  const [planned] = await call<{ id: string; revision: number }[]>('GET', `${of}/experiments`)
  expect(planned).toBeDefined()
  const path = `/experiments/${planned?.id ?? ''}`
  await call(
    'PATCH',
    path,
    {
      hypothesis_id: latch.id,
      prediction: {
        text: 'Hardly anybody waits for a latch, with at least as many statements per second',
        metric: WAITS,
        op: '<',
        value: 20,
        statistic: 'median',
        falsifier: 'the waits move elsewhere',
        falsifier_op: '>',
        falsifier_value: 100,
      },
    },
    { 'If-Match': `"${String(planned?.revision)}"` },
  )
  await call('POST', `${path}/start`)
  await call('POST', `${path}/finish`, {
    observation: { text: 'The batch finished; few sessions waited, and for other latches' },
    failed_same_way: 'no',
    conclusion: 'Without the adaptive hash index the pileup is gone.',
    confidence: 90,
  })
  await call('POST', `${of}/actions`, {
    text: 'Switch the adaptive hash index off in the feature store',
    owner: 'Ada Example',
    due: '2026-11-27',
    experiment_id: planned?.id ?? null,
  })
  await call('POST', `${of}/actions`, {
    text: 'Plan the upgrade to MySQL 8.0.30 or later',
    owner: 'Ada Example',
    due: '2026-12-18',
  })
}
