/** A modal dialog; its first field has the focus, which stays inside; Escape closes it. */
import { Dialog as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { IconButton } from './Button'
import { CloseIcon } from './icons'
import './parts.css'

export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  children,
  footer,
  width = 520,
}: {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly title: string
  readonly description?: ReactNode
  readonly children: ReactNode
  readonly footer?: ReactNode
  readonly width?: number
}) {
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="dialog-shade" />
        <Radix.Content
          className="dialog"
          style={{ width }}
          onOpenAutoFocus={firstField}
          {...(description ? {} : { 'aria-describedby': undefined })}
        >
          <header className="dialog-head">
            <Radix.Title>{title}</Radix.Title>
            <Radix.Close asChild>
              <IconButton label="Close" icon={<CloseIcon />} />
            </Radix.Close>
          </header>
          {description && (
            <Radix.Description className="dialog-description">{description}</Radix.Description>
          )}
          <div className="dialog-body">{children}</div>
          {footer && <footer className="dialog-foot">{footer}</footer>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** One came to write; without a field the focus goes where it would: to Close. */
function firstField(event: Event) {
  const dialog = event.currentTarget instanceof HTMLElement ? event.currentTarget : null
  const field = dialog?.querySelector<HTMLElement>(FIELDS)
  if (!field || dialog?.contains(document.activeElement)) return
  event.preventDefault()
  field.focus()
}
const FIELDS = ['text', 'search', 'email', 'url', 'number']
  .map((type) => `.dialog-body input[type="${type}"]:not(:disabled)`)
  .concat('.dialog-body input:not([type]):not(:disabled)', '.dialog-body textarea:not(:disabled)')
  .join(', ')
