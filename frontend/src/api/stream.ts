/**
 * One event stream of an incident for all windows of a browser: a browser keeps at most six connections
 * to a server open (HTTP/1.1), and six streams would leave none for the data. The window that holds the
 * lock of the address owns the stream and forwards its messages; when it closes, the next window takes
 * over. Without locks (plain HTTP on another name than localhost) each window opens its own stream.
 */

/** A message of the stream: connected, disconnected, or an event with its data. */
export type StreamMessage =
  | { readonly name: 'open' }
  | { readonly name: 'lost' }
  | { readonly name: StreamEvent; readonly data: unknown }
type Listener = (message: StreamMessage) => void

const EVENTS = ['artifact', 'upload', 'analysis', 'worker', 'changed', 'text', 'presence'] as const
export type StreamEvent = (typeof EVENTS)[number]

/** A message between windows: a new window asks for the current state; `to` addresses one window. */
type WindowMessage =
  { readonly hello: string } | { readonly to?: string; readonly forwarded: StreamMessage }

const REOPEN_MS = 1500

/** Call `listen` for each message of the stream at `address`; return the function that stops it. */
export function followStream(address: string, listen: Listener): () => void {
  const locks = (navigator as Partial<Navigator>).locks
  if (!locks || typeof BroadcastChannel === 'undefined') return openStream(address, listen)
  const self = crypto.randomUUID()
  const channel = new BroadcastChannel(address)
  const ended = new AbortController()
  const post = (message: WindowMessage) => channel.postMessage(message)
  let snapshot: StreamSnapshot | null = null
  let leave: (() => void) | null = null
  channel.onmessage = ({ data }: MessageEvent<WindowMessage>) => {
    if ('hello' in data) {
      for (const forwarded of snapshot?.messages() ?? []) post({ to: data.hello, forwarded })
    } else if (data.to === undefined || data.to === self) listen(data.forwarded)
  }
  post({ hello: self })
  const lead = () => {
    if (ended.signal.aborted) return undefined
    const current = new StreamSnapshot()
    snapshot = current
    const close = openStream(address, (message) => {
      current.record(message)
      listen(message)
      post({ forwarded: message })
    })
    return new Promise<void>((resolve) => {
      leave = () => {
        snapshot = null
        close()
        resolve()
      }
    })
  }
  void locks.request(address, { signal: ended.signal }, lead).catch(() => undefined) // ended in the queue
  return () => {
    ended.abort()
    leave?.()
    channel.close()
  }
}

/** Open a stream for this window only; reopen it after a refusal. Return the function that closes it. */
function openStream(address: string, listen: Listener): () => void {
  let source: EventSource
  let again: ReturnType<typeof setTimeout> | undefined
  const open = () => {
    const stream = new EventSource(address)
    source = stream
    stream.onopen = () => listen({ name: 'open' })
    stream.onerror = () => {
      listen({ name: 'lost' })
      // The browser reconnects after a broken connection, but not after a refusal.
      if (stream.readyState === EventSource.CLOSED) again = setTimeout(open, REOPEN_MS)
    }
    for (const name of EVENTS) {
      stream.addEventListener(name, (event: MessageEvent<string>) =>
        listen({ name, data: JSON.parse(event.data) as unknown }),
      )
    }
  }
  open()
  return () => {
    clearTimeout(again)
    source.close()
  }
}

type Here = { readonly here: readonly { readonly tab: string; readonly left: boolean }[] }

/** The state that a new window needs: the connection, the worker and who is present. */
class StreamSnapshot {
  private state: StreamMessage | null = null
  private worker: StreamMessage | null = null
  private readonly here = new Map<string, Here['here'][number]>()

  record(message: StreamMessage): void {
    if (message.name === 'open' || message.name === 'lost') this.state = message
    else if (message.name === 'worker') this.worker = message
    else if (message.name === 'presence') {
      for (const peer of (message.data as Here).here) {
        if (peer.left) this.here.delete(peer.tab)
        else this.here.set(peer.tab, peer)
      }
    }
  }

  messages(): StreamMessage[] {
    const here = [...this.here.values()]
    const present: StreamMessage | null =
      here.length > 0 ? { name: 'presence', data: { here } } : null
    return [this.state, this.worker, present].filter((item) => item !== null)
  }
}
