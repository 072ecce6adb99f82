/** The uploads of this page, with the bytes that the server has received. */
import { formatCount } from '@/format'
import { useState } from 'react'
import {
  cancelUpload,
  forgetDone,
  retryUpload,
  type UploadItem,
  uploadTotals,
  useUploads,
} from '@/state/uploads'
import { ShareBar } from '@/ui/display/Bar'
import { Button } from '@/ui/controls/Button'
import { BytesValue } from '@/ui/display/Value'

const MOST = 6

export function UploadList({ incidentId }: { readonly incidentId: string }) {
  const items = useUploads(incidentId)
  const [all, setAll] = useState(false)
  if (items.length === 0) return null
  const totals = uploadTotals(items)
  // Failed first, then active ones; finished ones only count in the total.
  const rows = items
    .filter((item) => item.state !== 'done')
    .sort((a, b) => ORDER[a.state] - ORDER[b.state])
  return (
    <section className="uploads" aria-label="Uploads">
      <header className="uploads-head" role="status">
        <strong>
          {totals.active ? 'Uploading' : totals.failed ? 'Uploads stopped' : 'Uploaded'}{' '}
          {totals.done} of {formatCount(totals.files, 'file')}
        </strong>
        <span className="muted">
          <BytesValue value={totals.sent} /> of <BytesValue value={totals.bytes} />
        </span>
        <progress
          className="uploads-bar"
          max={totals.bytes || 1}
          value={totals.sent}
          aria-label="Bytes uploaded"
        />
        {rows.length > MOST && (
          <Button size="small" variant="ghost" onClick={() => setAll(!all)}>
            {all ? 'Show fewer' : `Show all ${rows.length}`}
          </Button>
        )}
        {!totals.active && (
          <Button size="small" variant="ghost" onClick={() => forgetDone(incidentId)}>
            Clear
          </Button>
        )}
      </header>
      <ul className="uploads-rows">
        {(all ? rows : rows.slice(0, MOST)).map((item) => (
          <UploadRow key={item.key} item={item} />
        ))}
      </ul>
    </section>
  )
}

const ORDER: Record<UploadItem['state'], number> = { failed: 0, sending: 1, waiting: 2, done: 3 }

function UploadRow({ item }: { readonly item: UploadItem }) {
  return (
    <li className="uploads-row">
      <span className="mono ellipsis uploads-path" title={item.path}>
        {item.path}
      </span>
      <ShareBar value={item.bytes ? item.sent / item.bytes : 0} width={96} />
      <span className="num uploads-bytes">
        <BytesValue value={item.sent} /> <span className="faint">of</span>{' '}
        <BytesValue value={item.bytes} />
      </span>
      <span className="uploads-state ellipsis" title={item.error ?? undefined}>
        {item.state === 'failed' ? `failed: ${item.error ?? ''}` : item.state}
      </span>
      {item.state === 'failed' && (
        <Button size="small" onClick={() => retryUpload(item.key)}>
          Continue
        </Button>
      )}
      <Button size="small" variant="ghost" onClick={() => cancelUpload(item.key)}>
        Cancel
      </Button>
    </li>
  )
}
