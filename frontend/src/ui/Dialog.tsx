/** A modal dialog; focus stays inside, Escape closes it. */
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
