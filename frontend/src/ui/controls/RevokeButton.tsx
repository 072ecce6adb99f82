/** A button that revokes a secret; that is final, so it needs a second click. */
import { useState } from 'react'
import { Button } from './Button'

export function RevokeButton({
  name,
  busy = false,
  onRevoke,
}: {
  /** Of what is revoked, for screen readers. */
  readonly name: string
  readonly busy?: boolean
  readonly onRevoke: () => void
}) {
  const [sure, setSure] = useState(false)
  return (
    <Button
      size="small"
      variant={sure ? 'danger' : 'ghost'}
      busy={busy}
      aria-label={sure ? `Revoke ${name} now` : `Revoke ${name}`}
      onClick={() => (sure ? onRevoke() : setSure(true))}
      onBlur={() => setSure(false)}
    >
      {sure ? 'Revoke now' : 'Revoke'}
    </Button>
  )
}
