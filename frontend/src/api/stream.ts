/**
 * One event stream of an incident for all windows of a browser: a browser holds six connections to a
 * server open (HTTP/1.1), and six streams would leave none for the data. Whoever holds the lock of the
 * address has the stream and passes on what comes; when that window goes, the next one's turn comes.
 * Without locks (plain HTTP under another name than localhost) each window has its own.
 */

/** Of the stream itself: it stands, it broke. Everything else is an event with its data. */
export type Told =
  | { readonly name: 'open' }
  | { readonly name: 'lost' }
  | { readonly name: StreamEvent; readonly data: unknown }
type Listener = (told: Told) => void

const EVENTS = ['artifact', 'upload', 'analysis', 'worker', 'changed', 'text', 'presence'] as const
export type StreamEvent = (typeof EVENTS)[number]

/** Between windows: somebody came and asks how it stands; what is for one of them only. */
type Message = { readonly hello: string } | { readonly to?: string; readonly told: Told }

const REOPEN_MS = 1500

/** Tells `listen` what the stream at `address` says until the returned way out is taken. */
export function followStream(address: string, listen: Listener): () => void {
  const locks = (navigator as Partial<Navigator>).locks
  if (!locks || typeof BroadcastChannel === 'undefined') return openStream(address, listen)
  const self = crypto.randomUUID()
  const channel = new BroadcastChannel(address)
  const ended = new AbortController()
  const post = (message: Message) => channel.postMessage(message)
  let standing: Standing | null = null
  let leave: (() => void) | null = null
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if ('hello' in data) {
      for (const told of standing?.told() ?? []) post({ to: data.hello, told })
    } else if (data.to === undefined || data.to === self) listen(data.told)
  }
  post({ hello: self })
  const lead = () => {
    if (ended.signal.aborted) return undefined
    const now = new Standing()
    standing = now
    const close = openStream(address, (told) => {
      now.hear(told)
      listen(told)
      post({ told })
    })
    return new Promise<void>((resolve) => {
      leave = () => {
        standing = null
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

/** A stream of one's own, opened again after a refusal. */
function openStream(address: string, listen: Listener): () => void {
  let source: EventSource
  let again: ReturnType<typeof setTimeout> | undefined
  const open = () => {
    const stream = new EventSource(address)
    source = stream
    stream.onopen = () => listen({ name: 'open' })
    stream.onerror = () => {
      listen({ name: 'lost' })
      // The browser tries again by itself after a broken line, but not after a refusal.
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

/** What a window that comes later must know: whether the stream stands, the worker, who is here. */
class Standing {
  private state: Told | null = null
  private worker: Told | null = null
  private readonly here = new Map<string, Here['here'][number]>()

  hear(told: Told): void {
    if (told.name === 'open' || told.name === 'lost') this.state = told
    else if (told.name === 'worker') this.worker = told
    else if (told.name === 'presence') {
      for (const peer of (told.data as Here).here) {
        if (peer.left) this.here.delete(peer.tab)
        else this.here.set(peer.tab, peer)
      }
    }
  }

  told(): Told[] {
    const here = [...this.here.values()]
    const present: Told | null = here.length > 0 ? { name: 'presence', data: { here } } : null
    return [this.state, this.worker, present].filter((item) => item !== null)
  }
}
