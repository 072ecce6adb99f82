/** Two tabs on one text behind a server made by hand: what is typed meets, also when it is away. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import * as Y from 'yjs'
import { LiveText } from './liveText'
import { decode, draftsOf, encode, sendDrafts } from './textDrafts'

/** A document with a seq, as api/texts.py keeps it. */
class Server {
  readonly doc = new Y.Doc()
  updates: string[] = []
  away = false

  get text() {
    return this.doc.getText('text').toString()
  }

  answer = async (request: Request): Promise<Response> => {
    if (this.away) throw new TypeError('fetch failed')
    const url = new URL(request.url)
    if (request.method === 'POST') {
      const { update } = (await request.json()) as { update: string }
      Y.applyUpdate(this.doc, decode(update))
      this.updates.push(update)
      return json({ seq: this.updates.length })
    }
    if (url.pathname.endsWith('/updates')) {
      const after = Number(url.searchParams.get('after'))
      return json({ seq: this.updates.length, updates: this.updates.slice(after) })
    }
    const state = encode(Y.encodeStateAsUpdate(this.doc))
    return json({ seq: this.updates.length, state, text: this.text })
  }
}

const json = (body: unknown) =>
  new Response(JSON.stringify(body), { headers: { 'Content-Type': 'application/json' } })

let server: Server

beforeEach(() => {
  localStorage.clear()
  server = new Server()
  vi.stubGlobal('fetch', server.answer)
})
afterEach(() => vi.unstubAllGlobals())

async function opened(): Promise<LiveText> {
  const live = new LiveText('i1', 'note')
  await vi.waitFor(() => expect(live.saved.get().state).toBe('saved'))
  return live
}

it('sends what is typed and takes in what others sent', async () => {
  const [ada, bob] = [await opened(), await opened()]
  ada.text.insert(0, 'Ada. ')
  bob.text.insert(0, 'Bob. ')
  await vi.waitFor(() => expect(server.text).toMatch(/^(Ada\. Bob\. |Bob\. Ada\. )$/))
  bob.text.insert(0, '.')
  await vi.waitFor(() => expect(server.text).toHaveLength(11))
  ada.text.insert(0, '.')
  await vi.waitFor(() => expect(ada.text.toString()).toHaveLength(12))
  expect(ada.text.toString()).toBe(server.text)
})

it('keeps what is typed while the server is away, and sends it by itself afterwards', async () => {
  const live = await opened()
  server.away = true
  live.text.insert(0, 'kept')
  await vi.waitFor(() => expect(live.saved.get().state).toBe('offline'))
  expect(draftsOf('i1', 'note')).toHaveLength(1)
  server.away = false
  await vi.waitFor(() => expect(server.text).toBe('kept'), 5000)
  await vi.waitFor(() => expect(live.saved.get().state).toBe('saved'))
  expect(draftsOf('i1')).toHaveLength(0)
})

it('takes over what a tab that died had not sent', async () => {
  const dead = await opened()
  server.away = true
  dead.text.insert(0, 'last words')
  await vi.waitFor(() => expect(dead.saved.get().state).toBe('offline'))
  dead.close()
  server.away = false
  const next = await opened()
  expect(next.text.toString()).toBe('last words')
  await vi.waitFor(() => expect(server.text).toBe('last words'))
})

it('sends such a draft also when nobody opens that text', async () => {
  const dead = await opened()
  server.away = true
  dead.text.insert(0, 'last words')
  await vi.waitFor(() => expect(dead.saved.get().state).toBe('offline'))
  dead.close()
  await sendDrafts('i1')
  expect(draftsOf('i1')).toHaveLength(1)
  server.away = false
  await sendDrafts('i1')
  expect(server.text).toBe('last words')
  expect(draftsOf('i1')).toHaveLength(0)
})
