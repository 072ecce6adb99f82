/** Download a file of the server, with the values that the recipient must not see replaced by tokens. */
import { type ReactNode, useState } from 'react'
import { follow } from '@/charts/exportSvg'
import { Button } from '@/ui/controls/Button'
import {
  REDACTION_KINDS,
  RedactionChoice,
  type RedactionKind,
  redactOf,
} from '@/ui/controls/RedactionChoice'
import { Dialog } from './Dialog'

export function DownloadDialog({
  title,
  url,
  name,
  redacted,
  plain,
  initial = REDACTION_KINDS.map(([kind]) => kind),
  onClose,
}: {
  readonly title: string
  readonly url: string
  readonly name: string
  /** What the file lacks or loses when values are replaced. */
  readonly redacted?: ReactNode
  /** What the file contains when nothing is replaced. */
  readonly plain: ReactNode
  readonly initial?: readonly RedactionKind[]
  readonly onClose: () => void
}) {
  const [kinds, setKinds] = useState<ReadonlySet<RedactionKind>>(new Set(initial))
  const redact = redactOf(kinds)
  const address = redact ? `${url}${url.includes('?') ? '&' : '?'}redact=${redact}` : url
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={title}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            onClick={() => {
              follow(address, name)
              onClose()
            }}
          >
            {redact ? 'Download redacted' : 'Download'}
          </Button>
        </>
      }
    >
      <fieldset className="redact-fields">
        <legend>Replace by tokens</legend>
        <RedactionChoice kinds={kinds} onChange={setKinds} />
        <p className="muted">
          {redact
            ? (redacted ?? 'The same value gets the same token everywhere in the file.')
            : plain}
        </p>
      </fieldset>
    </Dialog>
  )
}
