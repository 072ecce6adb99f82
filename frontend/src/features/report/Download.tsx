/** The download of an export, with its progress: the server writes the file, then the browser receives it. */
import { useEffect, useRef, useState } from 'react'
import { problemFrom } from '@/api/problem'
import { Problem } from '@/ui/display/States'
import { BytesValue } from '@/ui/display/Value'

type State =
  | { readonly step: 'idle' }
  | { readonly step: 'writing'; readonly since: number }
  | { readonly step: 'receiving'; readonly received: number; readonly total: number | null }
  | { readonly step: 'done'; readonly name: string; readonly size: number }
  | { readonly step: 'failed'; readonly error: unknown }

export type Download = {
  readonly state: State
  readonly isBusy: boolean
  readonly start: (url: string) => Promise<void>
  readonly cancel: () => void
}

/** Fetch a file and save it; leaving the dialog cancels it. */
export function useDownload(): Download {
  const [state, setState] = useState<State>({ step: 'idle' })
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])
  const start = async (url: string) => {
    running.current?.abort()
    const abort = new AbortController()
    running.current = abort
    setState({ step: 'writing', since: Date.now() })
    try {
      const answer = await fetch(url, { signal: abort.signal })
      if (!answer.ok) throw problemFrom(answer.status, await answer.json().catch(() => null))
      const blob = await received(answer, (done, total) =>
        setState({ step: 'receiving', received: done, total }),
      )
      const name = nameIn(answer.headers.get('Content-Disposition')) ?? 'report'
      save(blob, name)
      setState({ step: 'done', name, size: blob.size })
    } catch (error) {
      if (!abort.signal.aborted) setState({ step: 'failed', error })
    }
  }
  const cancel = () => {
    running.current?.abort()
    setState({ step: 'idle' })
  }
  return { state, isBusy: state.step === 'writing' || state.step === 'receiving', start, cancel }
}

/** What the export does now, in words and as a bar. */
export function DownloadState({ download: { state } }: { readonly download: Download }) {
  if (state.step === 'failed') {
    return <Problem compact error={state.error} what="The report was not exported" />
  }
  return (
    <div className="report-download" role="status">
      {state.step === 'writing' && (
        <>
          <progress aria-label="Export" />
          <span>
            Writing the file… <Seconds since={state.since} />
          </span>
        </>
      )}
      {state.step === 'receiving' && (
        <>
          <progress
            aria-label="Export"
            {...(state.total ? { value: state.received, max: state.total } : {})}
          />
          <span>
            Receiving <BytesValue value={state.received} />
            {state.total !== null && (
              <>
                {' of '}
                <BytesValue value={state.total} />
              </>
            )}
          </span>
        </>
      )}
      {state.step === 'done' && (
        <span>
          Saved {state.name}, <BytesValue value={state.size} />
        </span>
      )}
    </div>
  )
}

/** The seconds since a moment; not announced, as they change every second. */
function Seconds({ since }: { readonly since: number }) {
  const [now, setNow] = useState(since)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  return (
    <span className="num" aria-hidden="true">
      {Math.round((now - since) / 1000)} s
    </span>
  )
}

async function received(
  answer: Response,
  onProgress: (done: number, total: number | null) => void,
): Promise<Blob> {
  const length = answer.headers.get('Content-Encoding')
    ? null // counts the compressed bytes
    : Number(answer.headers.get('Content-Length')) || null
  const reader = answer.body?.getReader()
  if (!reader) return answer.blob()
  const parts: Uint8Array<ArrayBuffer>[] = []
  let done = 0
  for (;;) {
    const next = await reader.read()
    if (next.done) break
    parts.push(next.value)
    done += next.value.length
    onProgress(done, length)
  }
  return new Blob(parts, { type: answer.headers.get('Content-Type') ?? '' })
}

/** The name of the file in a Content-Disposition header; null without one. */
function nameIn(header: string | null): string | null {
  return /filename="?([^";]+)"?/.exec(header ?? '')?.[1] ?? null
}

function save(blob: Blob, name: string) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  // After the browser has begun to read it.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
