/** Uploads interrupted by a reload or a lost connection; choosing the file again continues them. */
import { useRef } from 'react'
import type { UploadOut } from '@/api/schema'
import { enqueueUploads, useUploads } from '@/state/uploads'
import { ShareBar } from '@/ui/display/Bar'
import { Button } from '@/ui/controls/Button'
import { filesOfInput } from '@/ui/controls/drop'
import { Ago, BytesValue } from '@/ui/display/Value'
import { useCancelUnfinished } from '../queries'

export function UnfinishedUploads({
  incidentId,
  uploads,
}: {
  readonly incidentId: string
  readonly uploads: readonly UploadOut[]
}) {
  const chooser = useRef<HTMLInputElement>(null)
  const mine = new Set(useUploads(incidentId).map((item) => item.uploadId))
  const cancel = useCancelUnfinished(incidentId)
  const rest = uploads.filter((upload) => !mine.has(upload.id))
  if (rest.length === 0) return null
  return (
    <section className="uploads uploads-rest" aria-label="Unfinished uploads">
      <header className="uploads-head">
        <strong>
          {rest.length === 1 ? 'One upload is' : `${rest.length} uploads are`} unfinished
        </strong>
        <span className="muted">Choose the files again to continue where they stopped.</span>
        <input
          ref={chooser}
          type="file"
          multiple
          hidden
          aria-label="Files to continue with"
          data-testid="continue-files"
          onChange={(event) => {
            enqueueUploads(incidentId, filesOfInput(event.currentTarget.files), rest)
            event.currentTarget.value = ''
          }}
        />
        <Button size="small" onClick={() => chooser.current?.click()}>
          Choose to continue
        </Button>
      </header>
      <ul className="uploads-rows">
        {rest.map((upload) => (
          <li key={upload.id} className="uploads-row">
            <span className="mono ellipsis uploads-path" title={upload.path}>
              {upload.path}
            </span>
            <ShareBar
              value={upload.bytes ? upload.received / upload.bytes : 0}
              tone="idle"
              width={96}
            />
            <span className="num uploads-bytes">
              <BytesValue value={upload.received} /> <span className="faint">of</span>{' '}
              <BytesValue value={upload.bytes} />
            </span>
            <span className="uploads-state">
              stopped <Ago at={upload.updated_at} />
            </span>
            <Button size="small" variant="ghost" onClick={() => cancel.mutate(upload.id)}>
              Forget
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}
