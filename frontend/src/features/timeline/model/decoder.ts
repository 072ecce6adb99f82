/** Decodes tiles in a worker, which is started at the first of them; where there is none (tests), here. */
import { type Answer, decode, type Decoded } from './decode'
import type { Ask, DecodedReply } from './decode.worker'

type Waiting = { readonly done: (decoded: Decoded) => void; readonly fail: (error: Error) => void }

let worker: Worker | null = null
let value = 0
const waiting = new Map<number, Waiting>()

/** body: the JSON of an answer with tiles; it is handed over and gone afterwards. */
export function decodeBody(body: ArrayBuffer): Promise<Decoded> {
  if (typeof Worker === 'undefined') {
    return Promise.resolve(decode(JSON.parse(new TextDecoder().decode(body)) as Answer))
  }
  worker ??= started()
  const to = worker
  return new Promise((done, fail) => {
    value += 1
    waiting.set(value, { done, fail })
    to.postMessage({ number: value, body } satisfies Ask, [body])
  })
}

function started(): Worker {
  const made = new Worker(new URL('./decode.worker.ts', import.meta.url), { type: 'module' })
  made.addEventListener('message', ({ data }: MessageEvent<DecodedReply>) => {
    const item = waiting.get(data.number)
    waiting.delete(data.number)
    if (data.failed === undefined) item?.done(data.decoded as Decoded)
    else item?.fail(new Error(data.failed))
  })
  // A worker that broke is not used again: pending answers fail, the next one starts a new worker.
  made.addEventListener('error', () => {
    worker = null
    for (const { fail } of waiting.values()) fail(new Error('the worker that reads lanes broke'))
    waiting.clear()
  })
  return made
}
