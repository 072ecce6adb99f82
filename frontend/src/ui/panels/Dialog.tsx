/**
 * A modal dialog. Its first field or choice takes the focus, which stays inside; Escape closes it and
 * restores the focus.
 */
import { Dialog as Radix } from 'radix-ui'
import { type ComponentProps, type ReactNode, useState } from 'react'
import { IconButton } from '@/ui/controls/Button'
import { CloseIcon } from '@/ui/controls/icons'
import '../styles/parts.css'

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
        <DialogContent
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
        </DialogContent>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** The content, mounted at each opening: it restores the focus when it closes. */
export function DialogContent(props: ComponentProps<typeof Radix.Content>) {
  const [opener] = useState(() => openerOf(document.activeElement))
  return (
    <Radix.Content
      {...props}
      onCloseAutoFocus={(event) => {
        event.preventDefault()
        if (opener?.isConnected) opener.focus()
        else document.getElementById('canvas')?.focus()
      }}
    />
  )
}

/** Return the element to focus after closing: the trigger of the menu for a menu item, which is gone. */
function openerOf(focused: Element | null): HTMLElement | null {
  const menu = focused?.closest('[role="menu"]')
  const button = menu && document.getElementById(menu.getAttribute('aria-labelledby') ?? '')
  return button ?? (focused instanceof HTMLElement && focused !== document.body ? focused : null)
}

/** Focus the first field, else the first choice; without any, the default applies: the Close button. */
function firstField(event: Event) {
  const dialog = event.currentTarget instanceof HTMLElement ? event.currentTarget : null
  const field =
    dialog?.querySelector<HTMLElement>(FIELDS) ?? dialog?.querySelector<HTMLElement>(CHOICES)
  if (!field || dialog?.contains(document.activeElement)) return
  event.preventDefault()
  field.focus()
}
const FIELDS = ['text', 'search', 'email', 'url', 'number', 'datetime-local']
  .map((type) => `.dialog-body input[type="${type}"]:not(:disabled)`)
  .concat('.dialog-body input:not([type]):not(:disabled)', '.dialog-body textarea:not(:disabled)')
  .join(', ')
/** Of radio buttons the chosen one, as Tab does. */
const CHOICES =
  '.dialog-body :is(select, input[type="checkbox"], input[type="radio"]:checked):not(:disabled)'
