/** The empty list of incidents: drop a folder, push from the database host, or load a sample. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { openPasteBox } from '@/state/pasteBox'
import type { PathFile } from '@/state/uploads'
import { Button } from '@/ui/controls/Button'
import { CopyButton } from '@/ui/controls/CopyButton'
import { FileChoosers } from '@/ui/controls/DropZone'
import { FolderIcon, PasteIcon, SampleIcon, TerminalIcon } from '@/ui/controls/icons'
import { EmptyState, Problem, Skeleton } from '@/ui/display/States'
import { BytesValue } from '@/ui/display/Value'
import { loadWord, sampleGroups } from './samples'
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
        They appear here when a contributor creates one.
      </EmptyState>
    )
  }
  return (
    <div className="begin">
      <p className="begin-lead">
        No incidents yet. Upload the files captured during a stall; Pileup aligns their clocks and
        shows who waited for whom.
      </p>
      <div className="begin-cards">
        <section className="begin-card">
          <h2>
            <FolderIcon size={18} /> Drop a folder
          </h2>
          <p>
            A pt-stalk folder, stack samples, metric CSVs, logs, archives: anywhere on this page.
            Every file is stored unchanged, and its type is detected from its content. Text from a
            chat or a terminal can be pasted: Ctrl+V.
          </p>
          <div className="btn-row">
            <FileChoosers onFiles={onFiles} />
            <Button icon={<PasteIcon size={14} />} onClick={() => openPasteBox()}>
              Paste text
            </Button>
          </div>
        </section>
        <section className="begin-card">
          <h2>
            <TerminalIcon size={18} /> Push from the host
          </h2>
          <p>For captures on a server without a browser.</p>
          <PushCommand />
        </section>
        <section className="begin-card begin-card-wide">
          <h2>
            <SampleIcon size={18} /> Load a sample
          </h2>
          <p>It loads in seconds, and you can edit it.</p>
          <Samples />
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
    <>
      {sampleGroups(samples.data).map((group) => (
        <div key={group.title}>
          <h3 className="begin-group">{group.title}</h3>
          <ul className="begin-samples">
            {group.samples.map((sample) => (
              <li key={sample.id}>
                <strong>{sample.title}</strong>
                <span className="muted">{sample.description}</span>
                <span className="faint">
                  <BytesValue value={sample.bytes} />
                </span>
                <Button
                  size="small"
                  busy={load.isPending && load.variables === sample.id}
                  disabled={load.isPending}
                  onClick={() => load.mutate(sample.id)}
                  aria-label={`${loadWord(sample)} ${sample.title}`}
                >
                  {loadWord(sample)}
                </Button>
              </li>
            ))}
          </ul>
        </div>
      ))}
      {load.error && <Problem compact error={load.error} what="The sample was not loaded" />}
    </>
  )
}

function PushCommand() {
  const make = useMutation({
    mutationFn: () =>
      unwrap(
        api.POST('/api/v1/tokens', {
          body: {
            name: `push, created ${new Date().toISOString().slice(0, 10)}`,
            verbs: ['upload'],
          },
        }),
      ),
  })
  if (!make.data) {
    return (
      <div className="btn-row">
        <Button busy={make.isPending} onClick={() => make.mutate()}>
          Create a token and show the command
        </Button>
        {make.error && <Problem compact error={make.error} />}
      </div>
    )
  }
  const command = pushCommand(make.data.token)
  return (
    <>
      <pre className="begin-command">{command}</pre>
      <div className="btn-row">
        <CopyButton text={command}>Copy command</CopyButton>
        <span className="faint">The token is shown only once; it can only push.</span>
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
