import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { applyEvent } from './events'
import { keys } from './keys'
import type { ArtifactItems } from './schema'

const ID = 'i1'
let client: QueryClient
const stale = (key: readonly unknown[]) => client.getQueryState(key)?.isInvalidated

beforeEach(() => {
  client = new QueryClient()
  for (const domain of ['self', 'overview', 'waits', 'pins', 'hypotheses', 'marks'] as const) {
    client.setQueryData(keys.of(ID, domain), {})
  }
  client.setQueryData(keys.of('other', 'overview'), {})
})

describe('events into the caches', () => {
  it('replaces an artifact in its place and adds a new one at the end', () => {
    const key = keys.of(ID, 'artifacts')
    client.setQueryData(key, {
      items: [
        { id: 'a', state: 'queued' },
        { id: 'b', state: 'queued' },
      ],
    })
    applyEvent(client, ID, 'artifact', { id: 'a', state: 'done' })
    applyEvent(client, ID, 'artifact', { id: 'c', state: 'queued' })
    const list = client.getQueryData<ArtifactItems>(key)
    expect(list?.items.map((item) => [item.id, item.state])).toEqual([
      ['a', 'done'],
      ['b', 'queued'],
      ['c', 'queued'],
    ])
  })
  it('asks again for the lines that were not there before the file was read', async () => {
    const [raw, read] = [keys.artifact('a', 'raw', 0), keys.artifact('a', 'raw', 1)]
    const refused = () => Promise.reject(new Error('not read yet'))
    await client.fetchQuery({ queryKey: raw, queryFn: refused, retry: false }).catch(() => null)
    client.setQueryData(read, {})
    applyEvent(client, ID, 'artifact', { id: 'a', state: 'done' })
    expect(stale(raw)).toBe(true)
    expect(stale(read)).toBe(false)
  })
  it('asks for the status again only where the worker is not as it said', () => {
    client.setQueryData(keys.status, { worker: { alive: true } })
    applyEvent(client, ID, 'worker', { alive: true })
    expect(stale(keys.status)).toBe(false)
    applyEvent(client, ID, 'worker', { alive: false })
    expect(stale(keys.status)).toBe(true)
  })
  it('makes what the analysis derives stale when it is done, and only of this incident', () => {
    applyEvent(client, ID, 'analysis', { state: 'running' })
    expect(stale(keys.of(ID, 'waits'))).toBe(false)
    applyEvent(client, ID, 'analysis', { state: 'done' })
    expect(stale(keys.of(ID, 'waits'))).toBe(true)
    expect(stale(keys.of(ID, 'pins'))).toBe(false)
    expect(stale(keys.of('other', 'overview'))).toBe(false)
  })
  it('takes a change to its domain, and a resync to everything', () => {
    applyEvent(client, ID, 'changed', { what: 'hypotheses' })
    expect(stale(keys.of(ID, 'hypotheses'))).toBe(true)
    expect(stale(keys.of(ID, 'self'))).toBe(false)
    applyEvent(client, ID, 'changed', { what: 'annotations' })
    expect(stale(keys.of(ID, 'waits'))).toBe(false)
    expect(stale(keys.of(ID, 'marks'))).toBe(true)
    applyEvent(client, ID, 'changed', { what: 'everything' })
    expect(stale(keys.of(ID, 'self'))).toBe(true)
  })
  it('takes a pin of somebody else to the matrix, which is made of pins', () => {
    client.setQueryData(keys.of(ID, 'matrix', 'consensus', null), {})
    applyEvent(client, ID, 'changed', { what: 'pins' })
    expect(stale(keys.of(ID, 'matrix', 'consensus', null))).toBe(true)
    expect(stale(keys.of(ID, 'marks'))).toBe(false)
  })
  it('asks again when a first answer was on its way while something changed', async () => {
    const sent: ((answer: string) => void)[] = []
    const observer = new QueryObserver(client, {
      queryKey: keys.of(ID, 'matrix'),
      queryFn: () => new Promise<string>((resolve) => sent.push(resolve)),
    })
    const stop = observer.subscribe(() => undefined)
    await vi.waitFor(() => expect(sent).toHaveLength(1))
    applyEvent(client, ID, 'changed', { what: 'matrix' })
    sent[0]?.('before')
    await vi.waitFor(() => expect(sent).toHaveLength(2))
    sent[1]?.('after')
    await vi.waitFor(() => expect(observer.getCurrentResult().data).toBe('after'))
    stop()
  })
})
