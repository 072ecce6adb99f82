/** The empty house: load a sample, drop a folder, or push from the database host. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import type { PathFile } from '@/state/uploads'
import { Button } from '@/ui/controls/Button'
import { CopyButton } from '@/ui/controls/CopyButton'
import { FileChoosers } from '@/ui/controls/DropZone'
import { FolderIcon, SampleIcon, TerminalIcon } from '@/ui/controls/icons'
import { EmptyState, Problem, Skeleton } from '@/ui/display/States'
import { BytesValue } from '@/ui/display/Value'
import { samplesQuery, useLoadSample } from './queries'

export function Begin({
  mayWrite,
  onFiles,
}: {
  readonly mayWrite: boolean
  readonly onFiles: (files: PathFile[]) => void
}) {
  if (!mayWrite) {
    return (
      <EmptyState title="No incidents yet">
        They appear here when a contributor makes one.
      </EmptyState>
    )
  }
  return (
    <div className="begin">
      <p className="begin-lead">
        Nothing here yet. Bring what was captured during a stall; Pileup puts it on one clock and
        shows who waited for whom.
      </p>
      <div className="begin-cards">
        <section className="begin-card">
          <h2>
            <SampleIcon size={18} /> Load a sample
          </h2>
          <p>A captured pileup, to look around. Loaded in seconds, and yours to change.</p>
          <Samples />
        </section>
        <section className="begin-card">
          <h2>
            <FolderIcon size={18} /> Drop a folder
          </h2>
          <p>
            A pt-stalk folder, stack samples, metric CSVs, logs, archives: anywhere on this page.
            Every file is kept as it is, and its type is found by its content.
          </p>
          <div className="begin-actions">
            <FileChoosers onFiles={onFiles} />
          </div>
        </section>
        <section className="begin-card">
          <h2>
            <TerminalIcon size={18} /> Push from the host
          </h2>
          <p>Where the capture lies on a server that has no browser.</p>
          <PushCommand />
        </section>
      </div>
    </div>
  )
}

function Samples() {
  const samples = useQuery(samplesQuery)
  const load = useLoadSample()
  if (samples.error) return <Problem compact error={samples.error} />
  if (!samples.data) return <Skeleton height={64} />
  return (
    <ul className="begin-samples">
      {samples.data.map((sample) => (
        <li key={sample.id}>
          <div>
            <strong>{sample.title}</strong>{' '}
            <span className="faint">
              <BytesValue value={sample.bytes} />
            </span>
            <div className="muted">{sample.description}</div>
          </div>
          <Button
            size="small"
            busy={load.isPending && load.variables === sample.id}
            disabled={load.isPending}
            onClick={() => load.mutate(sample.id)}
            aria-label={`Load ${sample.title}`}
          >
            Load
          </Button>
        </li>
      ))}
      {load.error && <Problem compact error={load.error} what="The sample was not loaded" />}
    </ul>
  )
}

function PushCommand() {
  const make = useMutation({
    mutationFn: () =>
      unwrap(
        api.POST('/api/v1/tokens', {
          body: { name: `push, made ${new Date().toISOString().slice(0, 10)}`, scope: 'push' },
        }),
      ),
  })
  if (!make.data) {
    return (
      <div className="begin-actions">
        <Button busy={make.isPending} onClick={() => make.mutate()}>
          Make a token and show the command
        </Button>
        {make.error && <Problem compact error={make.error} />}
      </div>
    )
  }
  const command = pushCommand(make.data.token)
  return (
    <>
      <pre className="begin-command">{command}</pre>
      <div className="begin-actions">
        <CopyButton text={command}>Copy the command</CopyButton>
        <span className="faint">The token is shown once; it can push and nothing else.</span>
      </div>
    </>
  )
}

function pushCommand(token: string): string {
  return [
    'pileup push ./pt-stalk --new "checkout stall" \\',
    `  --to ${window.location.origin} \\`,
    `  --token ${token}`,
  ].join('\n')
}
