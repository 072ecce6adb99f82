/** Reads the bodies of tiles off the main thread: half a megabyte of JSON costs a frame or two. */
import { type Answer, buffersOf, decode } from './decode'

export type Ask = { readonly number: number; readonly body: ArrayBuffer }
export type DecodedReply = {
  readonly number: number
  readonly decoded?: unknown
  readonly failed?: string
}

self.addEventListener('message', ({ data: { number, body } }: MessageEvent<Ask>) => {
  try {
    const decoded = decode(JSON.parse(new TextDecoder().decode(body)) as Answer)
    self.postMessage({ number, decoded } satisfies DecodedReply, { transfer: buffersOf(decoded) })
  } catch (error) {
    self.postMessage({ number, failed: String(error) } satisfies DecodedReply)
  }
})
