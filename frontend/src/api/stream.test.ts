import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { followStream, type StreamMessage } from './stream'

const AT = '/api/v1/incidents/i1/events'

/** An EventSource that says what the test says. */
class Source {
  static CLOSED = 2
  static all: Source[] = []
  readyState = 1
  onopen: () => void = () => undefined
  onerror: () => void = () => undefined
  private readonly on = new Map<string, (event: { data: string }) => void>()
  constructor(readonly address: string) {
    Source.all.push(this)
  }
  addEventListener(name: string, listen: (event: { data: string }) => void) {
    this.on.set(name, listen)
  }
  say(name: string, data: unknown) {
    this.on.get(name)?.({ data: JSON.stringify(data) })
  }
  close() {
    this.readyState = Source.CLOSED
  }
}
const open = () => Source.all.filter((source) => source.readyState !== Source.CLOSED)

/** Channels of one browser: what one posts the others hear. */
class Channel {
  static all: Channel[] = []
  onmessage: ((event: { data: unknown }) => void) | null = null
  constructor(readonly name: string) {
    Channel.all.push(this)
  }
  postMessage(data: unknown) {
    for (const other of Channel.all) {
      if (other !== this && other.name === this.name) other.onmessage?.({ data })
    }
  }
  close() {
    Channel.all = Channel.all.filter((channel) => channel !== this)
  }
}

/** A lock that one holds until its promise ends; the others wait in a line. */
function fakeLocks() {
  const locks = new Map<string, ReturnType<typeof fakeLock>>()
  const request = (name: string, options: { signal: AbortSignal }, turn: Turn) => {
    const lock = locks.get(name) ?? fakeLock()
    locks.set(name, lock)
    return lock(options.signal, turn)
  }
  return { request }
}

type Turn = () => Promise<void> | undefined

function fakeLock() {
  const line: Turn[] = []
  let held = false
  const next = () => {
    const turn = line.shift()
    held = turn !== undefined
    if (turn) void Promise.resolve(turn()).then(next)
  }
  return (signal: AbortSignal, turn: Turn) =>
    new Promise<void>((_done, refuse) => {
      line.push(turn)
      signal.addEventListener('abort', () => {
        const at = line.indexOf(turn)
        if (at < 0) return
        line.splice(at, 1)
        refuse(new Error('aborted'))
      })
      if (!held) next()
    })
}

beforeEach(() => {
  Source.all = []
  Channel.all = []
  vi.stubGlobal('EventSource', Source)
  vi.stubGlobal('BroadcastChannel', Channel)
  vi.stubGlobal('navigator', { locks: fakeLocks() })
})
afterEach(() => vi.unstubAllGlobals())

const listener = () => {
  const messages: StreamMessage[] = []
  return {
    told: messages,
    names: () => messages.map(({ name }) => name),
    hear: (item: StreamMessage) => messages.push(item),
  }
}

it('holds one stream for all windows of an incident, and tells all of them', () => {
  const [a, b, other] = [listener(), listener(), listener()]
  followStream(AT, a.hear)
  followStream(AT, b.hear)
  followStream('/api/v1/incidents/i2/events', other.hear)
  expect(open()).toHaveLength(2)
  open()[0]?.onopen()
  open()[0]?.say('changed', { what: 'pins' })
  for (const item of [a, b]) {
    expect(item.told).toEqual([{ name: 'open' }, { name: 'changed', data: { what: 'pins' } }])
  }
  expect(other.told).toEqual([])
})

it('tells a window that comes later how it stands, and the others nothing again', () => {
  const [a, b, c] = [listener(), listener(), listener()]
  followStream(AT, a.hear)
  followStream(AT, b.hear)
  open()[0]?.onopen()
  open()[0]?.say('worker', { alive: true })
  open()[0]?.say('presence', { here: [{ tab: 't1' }, { tab: 't2' }] })
  open()[0]?.say('presence', { here: [{ tab: 't2', left: true }] })
  const before = b.told.length
  followStream(AT, c.hear)
  expect(c.names()).toEqual(['open', 'worker', 'presence'])
  expect(c.told.at(-1)).toEqual({ name: 'presence', data: { here: [{ tab: 't1' }] } })
  expect(b.told).toHaveLength(before)
})

it('passes the stream on when its window goes', async () => {
  const [a, b] = [listener(), listener()]
  const leave = followStream(AT, a.hear)
  const second = followStream(AT, b.hear)
  leave()
  await vi.waitFor(() => expect(open()).toHaveLength(1))
  open()[0]?.onopen()
  expect(b.names()).toEqual(['open'])
  expect(a.told).toEqual([])
  second()
  expect(open()).toHaveLength(0)
})

it('lets one go that never had its turn', async () => {
  const [a, b] = [listener(), listener()]
  const leave = followStream(AT, a.hear)
  followStream(AT, b.hear)()
  leave()
  await Promise.resolve()
  expect(open()).toHaveLength(0)
  expect(Channel.all).toEqual([])
})

it('is a stream of its own where the browser has no locks', () => {
  vi.stubGlobal('navigator', {})
  const [a, b] = [listener(), listener()]
  followStream(AT, a.hear)
  followStream(AT, b.hear)
  expect(open()).toHaveLength(2)
})
