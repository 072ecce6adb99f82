/** The status line at the bottom (24 px): running jobs, the connection, the worker. */
import { useQuery } from '@tanstack/react-query'
import { type Connection, useConnection } from '@/api/events'
import { statusQuery, useIsGuest } from '@/api/queries'
import type { Overview } from '@/api/schema'
import { formatCount, formatNumber, quantityBytes } from '@/format'

export function StatusLine({ overview }: { readonly overview: Overview | null }) {
  const guest = useIsGuest()
  const { data: status, error } = useQuery({ ...statusQuery, enabled: !guest })
  const connection = useConnection()
  const jobs = status ? status.queue.running + status.queue.queued : 0
  const disk = status ? quantityBytes(status.disk.free_bytes) : null
  return (
    <footer className="statusline">
      <span role="status">{workText(overview, jobs, status?.queue.queued ?? 0)}</span>
      <span className="statusline-space" />
      {disk && (
        <span>
          {disk.text} {disk.unit} free
        </span>
      )}
      <Light
        tone={connection === 'open' ? 'running' : connection === 'lost' ? 'holding' : 'idle'}
        text={CONNECTION[connection]}
      />
      {!guest && (
        <WorkerLight alive={status?.worker.alive} reached={!error && connection !== 'lost'} />
      )}
    </footer>
  )
}

/** The worker light; unknown while the server is unreachable. */
function WorkerLight({
  alive,
  reached,
}: {
  readonly alive: boolean | undefined
  readonly reached: boolean
}) {
  if (!reached) return <Light tone="idle" text="worker unknown" />
  if (alive === undefined) return <Light tone="idle" text="worker …" />
  return alive ? (
    <Light tone="running" text="worker alive" />
  ) : (
    <Light tone="holding" text="no worker running" />
  )
}

const CONNECTION: Record<Connection, string> = {
  none: 'not connected',
  connecting: 'connecting',
  open: 'live',
  lost: 'connection lost, reconnecting',
}

function Light({ tone, text }: { readonly tone: string; readonly text: string }) {
  return (
    <span className={`light light-${tone}`}>
      <span aria-hidden="true">{tone === 'running' ? '●' : tone === 'holding' ? '■' : '○'}</span>{' '}
      {text}
    </span>
  )
}

function workText(overview: Overview | null, jobs: number, queued: number): string {
  const parts: string[] = []
  if (overview && overview.artifacts.parsing > 0) {
    const { parsing, total } = overview.artifacts
    parts.push(`Parsing ${formatNumber(total - parsing)} of ${formatCount(total, 'file')}`)
  }
  const state = overview?.analysis.state
  if (state === 'queued') parts.push('analysis queued')
  if (state === 'running') parts.push('analysis running')
  if (state === 'failed') parts.push('analysis failed')
  if (jobs > 0) {
    const running = jobs - queued
    parts.push(`${formatCount(running, 'job')} running, ${formatNumber(queued)} queued`)
  }
  return parts.length ? parts.join(' · ') : 'No jobs'
}
